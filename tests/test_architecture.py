"""The house keeps its shape: imports run one way, heavy libraries stay where they belong."""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "squadbuilder"
ORDER = [
    "terms errors interrupt pictures reading",
    "effects messages ruleset",
    "cards",
    "card_search card_data",
    "deck formats",
    "deal decks",
    "objective squad",
    "limits wishes hidden",
    "recruit",
    "before",
    "plan",
    "orders",
    "stated referee squad_model",
    "before_model model",
    "table_state table_steps payment taking battle",
    "scenario_table scenario expected",
    "completion",
    "naming ranking solver solve listing explain",
    "placement after_placement place_file returned line_up line_up_model",
    "session rule_book autosave",
    "tableau sweep engine",
    "estimates by_model evaluation",
    "mulligan crew trial advice swaps race",
    "answers pages deck_answers tune_answers showcase",
    "report card_pages deck_report tune_report place_answers place_pages judge_answers judge_pages",
    "plots html_report",
    "ledger console conversation",
    "cli_decks cli_cards cli_evaluate cli_tune cli_table cli_recruit cli_rules cli_judge cli_deals",
    "cli",
    "__main__",
]
LEVEL = {name: level for level, names in enumerate(ORDER) for name in names.split()}
ONLY_IN = {
    "ortools": {"squad_model", "model", "solver", "solve", "listing", "explain", "line_up_model"},
    "rich": set(),
    "typer": {
        *("cli", "console", "cli_decks", "cli_cards", "cli_table", "cli_recruit", "cli_rules"),
        *("cli_judge", "cli_evaluate", "cli_deals", "cli_tune"),
    },
    "prompt_toolkit": {"cli_recruit"},
    "numpy": {"tableau", "sweep", "engine", "evaluation", "swaps"},
    "numba": {"engine"},
    "joblib": {"crew"},
    "distributed": {"crew"},
    "jinja2": {"html_report"},
    "matplotlib": {"plots"},
    "rapidfuzz": {"errors"},
    "yaml": {"reading"},
}


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            if node.module == "squadbuilder":
                found |= {f"squadbuilder.{alias.name}" for alias in node.names}
    return found


def own(path: Path) -> set[str]:
    names = {name.partition(".")[2] for name in imports(path) if name.startswith("squadbuilder.")}
    return names & set(LEVEL)


def modules() -> list[Path]:
    return [path for path in PACKAGE.glob("*.py") if path.stem != "__init__"]


def test_every_module_has_its_place() -> None:
    assert {path.stem for path in modules()} == set(LEVEL)


def test_imports_run_one_way() -> None:
    for path in modules():
        for name in own(path):
            same = LEVEL[name] == LEVEL[path.stem]
            earlier = ORDER[LEVEL[path.stem]].split()
            assert LEVEL[name] < LEVEL[path.stem] or (
                same and earlier.index(name) < earlier.index(path.stem)
            ), f"{path.stem} imports {name}"


def test_the_model_is_a_reading_of_its_own() -> None:
    for name in ("squad_model", "before_model", "model"):
        assert not own(PACKAGE / f"{name}.py") & {
            *("limits", "recruit", "before", "plan", "orders", "stated", "referee")
        }


def test_libraries_stay_where_they_belong() -> None:
    for path in modules():
        for library, allowed in ONLY_IN.items():
            used = any(name.partition(".")[0] == library for name in imports(path))
            assert not used or path.stem in allowed, f"{path.stem} imports {library}"


def test_modules_stay_small() -> None:
    for path in modules():
        assert len(path.read_text("utf-8").splitlines()) <= 560, path.stem


def test_no_card_is_named_in_code() -> None:
    from squadbuilder.cards import catalogue
    from squadbuilder.terms import fold

    keys = set(catalogue().by_key)
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert fold(node.value) not in keys, f"{path.stem}: {node.value}"


BLOCKED = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "ortools":
            raise ModuleNotFoundError(f"No module named {name!r}", name="ortools")
sys.meta_path.insert(0, Block())
from squadbuilder.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run_without_solver(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BLOCKED, *arguments], capture_output=True, text=True, check=False
    )


def test_check_and_next_work_without_the_solver() -> None:
    deal = str(PACKAGE.parent / "data" / "deals" / "farro-mirage.yaml")
    assert run_without_solver("check", deal, "Мираж", "Фарро").returncode == 0
    assert run_without_solver("check", deal, "Аль-Джамия").returncode == 1
    assert run_without_solver("next", deal, "Мираж").returncode == 0
    refused = run_without_solver("solve", deal, "--lang", "en")
    assert refused.returncode == 2
    assert "OR-Tools" in refused.stderr and "Traceback" not in refused.stderr


def test_decks_with_deals_for_the_solver_are_refused_without_it(tmp_path: Path) -> None:
    deck = tmp_path / "deck.txt"
    lines = (PACKAGE.parent / "data" / "decks" / "04-farro.txt").read_text("utf-8")
    deck.write_text(lines + "\nРекрутер Храма\n", "utf-8")
    for command in (["evaluate"], ["tune", "--pool", str(deck)]):
        refused = run_without_solver(*command, str(deck), "--seed", "5", "--lang", "en")
        assert refused.returncode == 2
        assert "OR-Tools" in refused.stderr and "Traceback" not in refused.stderr
