"""Bad input as a value: what is wrong, where, what was expected, and what may have been meant."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

MOST_SUGGESTIONS = 5
MOST_QUOTED = 60


class ErrorCode(str, Enum):
    """The closed list of reasons for exit code 2; each has a message of the same name."""

    FILE_MISSING = "file_missing"
    FILE_IS_FOLDER = "file_is_folder"
    FILE_UNREADABLE = "file_unreadable"
    FILE_ENCODING = "file_encoding"
    FILE_EMPTY = "file_empty"
    SYNTAX = "syntax"
    WRONG_TYPE = "wrong_type"
    YAML_TRAP = "yaml_trap"
    OUT_OF_RANGE = "out_of_range"
    KEY_UNKNOWN = "key_unknown"
    KEY_REPEATED = "key_repeated"
    KEY_MISSING = "key_missing"
    KEY_MISPLACED = "key_misplaced"
    KEYS_ONE_OF = "keys_one_of"
    VALUE_UNKNOWN = "value_unknown"
    COUNT_MALFORMED = "count_malformed"
    CARD_UNKNOWN = "card_unknown"
    CARD_TWO_ALPHABETS = "card_two_alphabets"
    CARD_SPLIT_BY_COMMA = "card_split_by_comma"
    CARD_REPEATED = "card_repeated"
    CARD_AMBIGUOUS = "card_ambiguous"
    CARD_NOT_IN_DEAL = "card_not_in_deal"
    CARD_NOT_IN_SQUAD = "card_not_in_squad"
    DEAL_SIZE = "deal_size"
    DEAL_TOO_LARGE = "deal_too_large"
    NO_DEAL_LEFT = "no_deal_left"
    NO_GOLD_LEFT = "no_gold_left"
    DECK_LACKS_DEAL = "deck_lacks_deal"
    WISH_CONFLICT = "wish_conflict"
    WISH_TOO_MANY = "wish_too_many"
    WISH_UNIQUE_TWICE = "wish_unique_twice"
    OBJECTIVE_UNKNOWN = "objective_unknown"
    OBJECTIVE_REPEATED = "objective_repeated"
    FORMAT_UNKNOWN = "format_unknown"
    FORMAT_CANNOT_HOLD = "format_cannot_hold"
    CODE_MALFORMED = "code_malformed"
    QR_MISSING = "qr_missing"
    QR_UNREADABLE = "qr_unreadable"
    FILE_EXISTS = "file_exists"
    FILE_UNWRITABLE = "file_unwritable"
    RATINGS_MISSING = "ratings_missing"
    RATING_REPEATED = "rating_repeated"
    CONDITION_MALFORMED = "condition_malformed"
    CONDITION_UNKNOWN = "condition_unknown"
    WISHES_CONTRADICT = "wishes_contradict"
    CHOICE_MALFORMED = "choice_malformed"
    CHOICE_UNKNOWN = "choice_unknown"
    CHOICE_NOT_OFFERED = "choice_not_offered"
    CHOICE_WITHOUT_ORDER = "choice_without_order"
    COMMAND_UNKNOWN = "command_unknown"
    LINE_TOO_SHORT = "line_too_short"
    LINE_TOO_LONG = "line_too_long"
    ACTION_UNCLEAR = "action_unclear"
    OUTCOME_NEEDED = "outcome_needed"
    RULE_UNKNOWN = "rule_unknown"
    OUTCOME_NOT_ASKED = "outcome_not_asked"
    OUTCOME_MALFORMED = "outcome_malformed"
    SWAP_MALFORMED = "swap_malformed"
    SWAP_NOT_IN_DECK = "swap_not_in_deck"
    SWAP_NONE_LEGAL = "swap_none_legal"
    BUDGET_SMALL = "budget_small"
    DECK_NEEDED = "deck_needed"
    LIST_NEEDS_LIMIT = "list_needs_limit"
    LIST_TOO_LARGE = "list_too_large"
    CARD_NOT_ON_TABLE = "card_not_on_table"
    CELL_OCCUPIED = "cell_occupied"
    ACTION_UNKNOWN = "action_unknown"
    ACTION_REPEATED = "action_repeated"
    SOLVER_MISSING = "solver_missing"
    CLUSTER_MISSING = "cluster_missing"
    CLUSTER_UNREACHABLE = "cluster_unreachable"
    CLUSTER_WORKERS = "cluster_workers"
    CLUSTER_LOST = "cluster_lost"
    REPORT_MISSING = "report_missing"
    USAGE = "usage"


@dataclass(frozen=True, slots=True)
class Where:
    """The place of a mistake: file, line (1-based) and key, as far as they are known."""

    file: str | None = None
    line: int | None = None
    key: str | None = None


def shown(value: object) -> object:
    """A piece of input as it may be shown: short, and without characters that steer a terminal."""
    if not isinstance(value, str):
        return value
    start = value[: MOST_QUOTED + 1]
    plain = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in start)
    return plain if len(plain) <= MOST_QUOTED else plain[:MOST_QUOTED] + "…"


class InputError(Exception):
    """Input that cannot be used. `params` fill the message named by `code`."""

    def __init__(
        self,
        code: ErrorCode,
        where: Where = Where(),
        suggestions: Iterable[str] = (),
        **params: object,
    ) -> None:
        super().__init__(code.value, params)
        self.code = code
        self.where = where
        self.suggestions = tuple(suggestions)[:MOST_SUGGESTIONS]
        self.params = {key: shown(value) for key, value in params.items()}

    @property
    def message(self) -> str:
        """The code of the message that tells it; usage errors have a message a kind."""
        return str(self.params["kind"]) if "kind" in self.params else self.code.value


def suggest(word: str, known: Iterable[str], most: int = MOST_SUGGESTIONS) -> tuple[str, ...]:
    """Up to `most` of the known words that `word` may have been meant to be, nearest first."""
    from rapidfuzz import fuzz, process, utils

    names = sorted(set(known))

    def plain(text: str) -> str:
        return utils.default_process(text).replace("ё", "е")

    found: list[str] = []
    for scorer, cutoff in ((fuzz.ratio, 60), (fuzz.WRatio, 80)):
        for name, _, _ in process.extract(
            word, names, scorer=scorer, processor=plain, limit=most, score_cutoff=cutoff
        ):
            if name not in found:
                found.append(name)
    return tuple(found[:most])
