"""The command at the judge's table: judge. What only it needs is loaded when it is called."""

from typing import Annotated

import typer

from squadbuilder.cards import Catalogue, catalogue
from squadbuilder.console import COMMON, NO, YES, Call, with_options
from squadbuilder.reading import read_text

Scenario = Annotated[str, typer.Argument(metavar="SCENARIO", help="help_scenario")]


def judge_scenario(prepared: tuple[Call, Catalogue], scenario: Scenario) -> int:
    """Judge the steps of a scenario: taking cards in battle (532) and paying for actions (501)."""
    from squadbuilder.battle import judge_steps
    from squadbuilder.expected import unmet
    from squadbuilder.judge_answers import notes_on, ruling_fields
    from squadbuilder.judge_pages import JudgePages
    from squadbuilder.scenario import read_scenario

    call, cards = prepared
    found = read_scenario(read_text(scenario), cards)
    for text in notes_on(found.table, call.speaker):
        call.note(text)
    verdicts = list(judge_steps(found.table, [line.step for line in found.lines]))
    judged = list(zip(found.lines, verdicts, strict=True))
    as_expected = not any(unmet(verdict, line.expect) for line, verdict in judged)
    if call.json:
        end = verdicts[-1].result.table
        call.answer(**ruling_fields(found.title, judged, end, call.speaker))
    else:
        page = JudgePages(call.speaker, call.plain)
        page.title(found.title)
        for number, (line, verdict) in enumerate(judged, start=1):
            page.step(number, line, verdict)
        expects = any(line.expect is not None for line in found.lines)
        page.end(as_expected, all(verdict.allowed for verdict in verdicts), expects)
    return YES if as_expected else NO


judge_command = with_options(
    judge_scenario, COMMON, lambda call, given: (call, catalogue(given["cards_file"]))
)
