"""Languages told by their common words, endings, letters and scripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus.language import COMMON_WORDS, SCRIPTS, detect_language, language_code


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "A press with a frame, wherein the piston is connected to the frame by a rod."),
        ("de", "Presse mit einem Rahmen, wobei der Kolben durch eine Stange mit dem Rahmen verbunden ist."),
        ("fr", "Presse avec un châssis, le piston est relié au châssis par une tige dans laquelle …"),
        ("es", "Prensa con un bastidor, en la que el pistón se une al bastidor por una varilla según la figura."),
        ("it", "Pressa con un telaio, in cui il pistone è collegato al telaio per una barra della figura."),
        ("nl", "Pers met een frame, waarbij de zuiger door een stang aan het frame is bevestigd."),
        ("ja", "本発明は、プレス装置に関する。"),
        ("zh", "本发明涉及一种压力机装置"),
        ("ko", "본 발명은 프레스 장치에 관한 것이다."),
        ("ru", "Изобретение относится к прессу для кирпича."),
        ("sv", "Uppfinningen avser en press med en ram som är förbunden med kolven, och till vilken en stång hör."),
        ("pt", "A invenção refere-se a uma prensa com um quadro, em que o pistão é ligado ao quadro por uma haste."),
        ("en", "A press as claimed"),
        ("en", "A brick press has a frame and a piston."),
        ("en", "A cutter head. A motor drives a saw as a plate is fed. No guard."),
        ("de", "Presse mit Rahmen"),
        ("fr", "Presse à briques"),
        ("", "Keksintö koskee puristinta, jossa mäntä yhdistetään runkoon tangolla siten että puristin toimii hyvin"),
        ("", "Wynalazek dotyczy prasy, w której tłok jest połączony z ramą za pomocą pręta oraz sprężyny śrubowej"),
        ("", "A találmány tárgya prés, amelyben a dugattyú rúddal kapcsolódik az állványhoz és rugóval terhelt"),
        ("", "Vynález se týká lisu, ve kterém je píst spojen s rámem pomocí tyče a pružiny, která je předepnuta"),
        ("", "Invenția se referă la o presă cu un cadru în care pistonul este legat de cadru printr-o tijă"),
        ("", "Brick press"),
        ("", "H2O 12,3 % (w/w)"),
        ("", ""),
    ],
)
def test_languages_are_told_apart(language: str, text: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("given_as", "code"),
    [("EN", "en"), ("en-GB", "en"), ("de_AT", "de"), ("ger", "de"), ("FRA", "fr"), (None, ""), ("", ""), ("7x", "")],
)
def test_a_files_own_word_for_a_language(given_as: str | None, code: str) -> None:
    assert language_code(given_as) == code


@given(st.text(max_size=300))
def test_any_text_has_a_language_or_none(text: str) -> None:
    assert detect_language(text) in {"", *COMMON_WORDS, *SCRIPTS.values()}
