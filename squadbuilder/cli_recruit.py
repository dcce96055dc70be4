"""The command `recruit`: a conversation at a terminal, from a pipe, or from a script."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from squadbuilder import answers, autosave, pages
from squadbuilder.before import BeforeStep
from squadbuilder.cards import Catalogue
from squadbuilder.console import INTERRUPTED, NO, YES, Call, solver_needed, usage, write_file
from squadbuilder.conversation import Conversation, Reply
from squadbuilder.deal import Deal
from squadbuilder.errors import InputError, Where
from squadbuilder.objective import Objective
from squadbuilder.orders import Line
from squadbuilder.reading import STDIN, decode, read_text
from squadbuilder.recruit import Step

if TYPE_CHECKING:
    from prompt_toolkit.completion import Completion
    from prompt_toolkit.document import Document


def talk(
    call: Call,
    deal: Deal,
    cards: Catalogue,
    script: str | None,
    resume: bool,
    new: bool,
    force: bool,
    deal_from_stdin: bool,
) -> int:
    """Recruit by what is said, line by line, until it ends."""
    if resume and new:
        raise usage("usage_resume_or_new")
    if deal_from_stdin and script in (None, STDIN):
        raise usage("usage_script_needed")

    def best(deal: Deal, objective: Objective, here: BeforeStep) -> tuple[str, tuple[Line, ...]]:
        with solver_needed():
            from squadbuilder.solve import solve
        with pages.Progress(call.speaker) as progress:
            answer = solve(deal, objective, watch=progress, begun=here)
        return answer.status.value, answer.lines

    def write(path: str, text: str) -> None:
        write_file(path, text, force)

    talk = Conversation(deal, cards, call.speaker, call.plain, best, write)
    terminal = script is None and not call.json and sys.stdin.isatty() and sys.stdout.isatty()
    desk = _Desk(call, talk, terminal, keeps=script is None or resume)
    try:
        desk.begin(resume, new)
        lines = desk.asked() if terminal else _written(script)
        return desk.hear(lines)
    except KeyboardInterrupt:
        call.note(call.speaker.say("talk_kept"))
        return INTERRUPTED


def _written(script: str | None) -> Iterator[tuple[str, Where]]:
    """The lines of a script, or of standard input as they come."""
    if script not in (None, STDIN):
        text = read_text(str(script))
        for number, line in enumerate(text.text.split("\n"), start=1):
            yield line, Where(file=text.file, line=number)
        return
    for number, raw in enumerate(sys.stdin.buffer, start=1):
        yield decode(raw, "stdin").rstrip("\n"), Where(file="stdin", line=number)


class _Desk:
    """One sitting: what is heard, what is said, and what is kept."""

    def __init__(self, call: Call, talk: Conversation, terminal: bool, keeps: bool) -> None:
        self.call = call
        self.talk = talk
        self.terminal = terminal
        self.refused: list[dict[str, object]] = []
        self._path = autosave.place(talk.session.recruitment.deal) if keeps else None

    def begin(self, resume: bool, new: bool) -> None:
        """Greet, and go on with what was kept, if that is wanted."""
        self._say(self.talk.greet())
        kept = autosave.kept(self._path) if self._path is not None and not new else []
        if kept and not resume:
            resume = self.terminal and self._goes_on(len(kept))
        if not kept or not resume:
            if resume:
                self.call.note(self.call.speaker.say("talk_nothing_kept"))
            return
        fresh = self.talk.session
        try:
            refused = any(self.talk.hear(line).refused for line in kept)
        except InputError:
            refused = True
        if refused:
            self.talk.session = fresh
        code = "talk_misfit" if refused else "talk_resumed"
        self.call.note(self.call.speaker.say(code, n=len(kept)))

    def _goes_on(self, number: int) -> bool:
        answer = input(self.call.speaker.say("talk_resume", n=number)).strip().lower()
        return answer[:1] in ("y", "д", "")

    def asked(self) -> Iterator[tuple[str, Where]]:
        """The lines that a person types, with completion."""
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import Completer, Completion

        talk = self.talk

        class Words(Completer):
            def get_completions(self, document: "Document", _: object) -> "Iterator[Completion]":
                line = document.text_before_cursor
                begun = line.lstrip().partition(" ")[2] if " " in line.lstrip() else line.lstrip()
                begun = begun.rpartition("+")[2].lstrip()
                for word in talk.words(line):
                    yield Completion(word, start_position=-len(begun))

        prompt: PromptSession[str] = PromptSession(completer=Words())
        while True:
            try:
                yield prompt.prompt("> "), Where()
            except EOFError:
                return

    def hear(self, lines: Iterator[tuple[str, Where]]) -> int:
        """Do what the lines say; the exit code."""
        for text, where in lines:
            if text.strip() and not self.terminal and not text.strip().startswith("#"):
                self._say(Reply((f"> {text.strip()}",)))
            try:
                reply = self.talk.hear(text)
            except InputError as error:
                if not self.terminal:
                    error.where = replace(error.where, file=where.file, line=where.line)
                    raise
                pages.write_error(error, self.call.speaker)
                continue
            self._say(reply)
            if reply.refused:
                self.refused.append({"line": where.line, "text": text.strip()})
                self.refused[-1]["message"] = "\n".join(reply.lines)
            if reply.left:
                break
            self._keep()
        return self._end()

    def _keep(self) -> None:
        lines = self.talk.log()
        if self._path is not None and lines and not autosave.keep(self._path, lines):
            self.call.note(self.call.speaker.say("talk_not_kept", file=self._path))
            self._path = None

    def _end(self) -> int:
        session = self.talk.session
        legal = session.legal()
        if self.call.json:
            cards, state = session.recruitment.cards, session.state
            self.call.answer(
                phase=session.phase.value,
                legal=legal,
                gold=state.gold,
                silver=state.silver,
                cards=[answers.card_document(cards, step.kind) for step in _joined(session.steps)],
                ledger=[answers.step_document(cards, step) for step in session.steps],
                refused=self.refused,
            )
        unfinished = any(session.state.squad) and not legal
        return NO if (self.refused or unfinished) and not self.terminal else YES

    def _say(self, reply: Reply) -> None:
        for line in reply.lines:
            if not self.call.json:
                pages.say(line)
        sys.stdout.flush()


def _joined(steps: tuple[Step, ...]) -> list[Step]:
    return [step for step in steps if step.joins]
