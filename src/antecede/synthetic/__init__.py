"""A synthetic patent collection in the shape of CLEF-IP, for tests, demonstrations and measurements at scale.

In the order in which the modules build on each other:

    lexicon.py      the word lists and sentence templates in vocabulary/
    plan.py         what each patent is about and which patents it cites, before any text is written
    text.py         title, abstract, description and claims: templates filled with the words of an applicant
    formats.py      a patent as MAREC XML or as a line of JSON
    collection.py   the whole collection with its topics and qrels, written by one process or several
"""

from antecede.synthetic.collection import Synthesis, synthesize

__all__ = ["Synthesis", "synthesize"]
