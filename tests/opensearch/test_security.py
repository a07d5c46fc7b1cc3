"""TLS and passwords: a cluster that is searched through them, and each way to get them wrong as one line."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.conftest import call_program
from tests.opensearch.conftest import unavailable
from tests.opensearch.secure_proxy import PASSWORD, USER, SecureProxy, make_certificate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    from tests.opensearch.local_cluster import LocalCluster

PREFIX = "ANTECEDE_OPENSEARCH_"


@pytest.fixture(scope="module")
def proxy(cluster: LocalCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """The port of a proxy with TLS and a password, and its certificate."""
    if shutil.which("openssl") is None:
        unavailable("openssl is not installed, for a certificate")
    certificate, key = make_certificate(tmp_path_factory.mktemp("tls"))
    server = SecureProxy(cluster.http[0], certificate, key)
    yield server.server_port, certificate
    server.shutdown()
    server.server_close()


@pytest.fixture
def address(proxy: tuple[int, Path], loaded: Callable[[int], str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an index through the proxy, with everything right in the environment."""
    name = loaded(3).rpartition("/")[2]
    monkeypatch.setenv(f"{PREFIX}USER", USER)
    monkeypatch.setenv(f"{PREFIX}PASSWORD", PASSWORD)
    monkeypatch.setenv(f"{PREFIX}CA", str(proxy[1]))
    return f"opensearchs://127.0.0.1:{proxy[0]}/{name}"


def test_a_search_through_tls_and_a_password(
    address: str, loaded: Callable[[int], str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = ("--text", "signal network", "--language", "en", "-k", "5", "--json")
    secure = call_program("search", address, *words)
    assert secure.code == 0, secure.err
    assert len(secure.json["hits"]) == 5
    assert secure.json["hits"] == call_program("search", loaded(3), *words).json["hits"]
    secret = tmp_path / "secret"
    secret.write_text(f"{USER}:{PASSWORD}\n")
    for name in ("USER", "PASSWORD"):
        monkeypatch.delenv(PREFIX + name)
    monkeypatch.setenv(f"{PREFIX}CREDENTIALS", str(secret))
    assert call_program("info", address, "--json").json["documents"] == 150


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"PASSWORD": "wrong"}, "the user or the password is wrong"),
        ({"USER": None, "PASSWORD": None}, "the user or the password is wrong"),
        ({"CA": None}, "the certificate of the cluster is not accepted"),
        ({"CA": "nowhere.pem"}, "there is no such file of certificates"),
    ],
    ids=str,
)
def test_wrong_credentials_are_one_line(
    address: str, change: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in change.items():
        if value is None:
            monkeypatch.delenv(PREFIX + name)
        else:
            monkeypatch.setenv(PREFIX + name, value)
    found = call_program("info", address)
    assert (found.code, found.out) == (2, "")
    assert said in found.err
    assert PASSWORD not in found.err
    assert len(found.err.strip().splitlines()) == 1


def test_a_cluster_with_tls_without_tls_and_the_other_way_round(address: str, loaded: Callable[[int], str]) -> None:
    plain = call_program("info", address.replace("opensearchs:", "opensearch:"))
    assert (plain.code, "opensearchs:// where it uses TLS" in plain.err) == (2, True)
    secure = call_program("info", loaded(3).replace("opensearch:", "opensearchs:"))
    assert (secure.code, "opensearch:// where it does not use TLS" in secure.err) == (2, True)
    for found in (plain, secure):
        assert len(found.err.strip().splitlines()) == 1
