"""Answers of a broken or hostile cluster: a result, or one line of refusal; never a traceback."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.fuzz.calls import call
from tests.fuzz.json_changes import change_json
from tests.opensearch.fake_cluster import FakeCluster, reply

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator

    from tests.fuzz.outcomes import Fuzz

pytest.importorskip("opensearchpy")

CALLS = (
    ("info",),
    ("info", "--json"),
    ("search", "--text", "valve word1"),
    ("search", "--text", "valve word1", "--json", "--ipc", "F16K"),
    ("search", "--text", "word2", "--method", "tf", "--model", "lm_dirichlet", "--explain"),
    ("show", "EP2"),
    ("verify", "--quiet"),
)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeCluster]:
    made = FakeCluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.close()


def distort(answer: Any, draw: random.Random) -> Iterable[bytes]:
    """An answer after changes to its values or to its bytes."""
    status = draw.choice((200, 200, 200, 200, 400, 404, 500, 503))
    kind = draw.choice(("application/json", "application/json", "application/json; charset=UTF-8", "text/plain", "x"))
    body = json.dumps(change_json(answer, draw)).encode()
    if draw.random() < 0.15:
        at = draw.randrange(len(body) + 1)
        body = draw.choice((body[:at], body[:at] + draw.randbytes(3) + body[at:], draw.randbytes(30), b""))
    return reply(body, status, kind)


def test_changed_answers_are_understood_or_refused(
    fuzz: Fuzz, cluster: FakeCluster, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PATIENCE", "FIRST_PATIENCE"):
        monkeypatch.setattr(f"antecede.opensearch.cluster.{name}", 0.0)
    for number, draw in fuzz.cases(60):
        verb, *words = draw.choice(CALLS)
        chosen, often = draw.randrange(12), draw.random() < 0.3
        cluster.asked.clear()

        def change(
            _path: str, answer: Any, draw: random.Random = draw, chosen: int = chosen, often: bool = often
        ) -> Iterable[bytes] | None:
            at = len(cluster.asked) - 1
            return distort(answer, draw) if at == chosen or (often and at > chosen) else None

        cluster.change = change
        done = call(tmp_path, verb, cluster.address, *words)
        where = f"case {number}: {verb} {words}: {done}"
        assert "\x1b" not in done.out + done.err, where
        if done.code == 2:
            assert done.err.count("\n") == 1, where
            assert done.out == "", where
            fuzz.count("refused")
        else:
            assert done.code == 0 or (done.code == 1 and verb == "verify"), where
            fuzz.count("answered" if done.code == 0 else "found wrong")
    cluster.change = lambda _path, _answer: None
