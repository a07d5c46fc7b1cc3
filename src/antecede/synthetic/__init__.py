"""A synthetic patent collection in the shape of CLEF-IP, for tests, demonstrations and measurements at scale.

In the order in which the modules build on each other:

    parameters.py       every tuned number
    random_streams.py   random integers that are the same on every machine
    nouns.py            English, German and French nouns with their articles, cases and plurals
    lexicon.py          the word lists and sentence patterns in vocabulary/
    plan.py             what each patent is about, before any text is written
    citations.py        which patents cite which
    words.py            the words and invented names that one patent uses
    composition.py      title, abstract, description and claims
    formats.py          a patent as MAREC XML or as a line of JSON
    collection.py       the whole collection with its topics and qrels, written by one process or several
"""

from antecede.synthetic.collection import Synthesis, synthesize

__all__ = ["Synthesis", "synthesize"]
