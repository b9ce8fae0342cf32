"""What a program waits on, in its record's own words: as a prompt, or beside the screen's."""

import hashlib

import attrs

from panegate.panes.facts import OptionReading, PromptReading
from panegate.session.claims import Judgement, Standing
from panegate.session.events import Prompt
from panegate.session.transcript import Call, CallKind
from panegate.terms import PromptKind

__all__ = ["prompt_of", "with_record"]


def prompt_of(judgement: Judgement) -> PromptReading:
    """Return what *judgement* waits on as a question; nothing of it was read off a screen.

    Its options have no keys: which key takes which is for the screen to say.
    """
    call = judgement.call
    if call is None:
        return _reading(PromptKind.TEXT, judgement.last_words, "", ())
    question = _question_of(call)
    if call.kind is CallKind.PLAN:
        return _reading(PromptKind.CONFIRM, question, call.input, (), call.id)
    if call.kind is CallKind.TOOL:
        return _reading(PromptKind.PERMISSION, question, call.input, (), call.id)
    labels = tuple(choice.label for asked in call.questions for choice in asked.choices)
    kind = PromptKind.MENU if labels else PromptKind.TEXT
    return _reading(kind, question, "", labels, call.id)


def with_record(prompt: Prompt, judgement: Judgement) -> Prompt:
    """Return a prompt of the screen with what the record says it is about.

    The record's text is preferred: a dialog may show it cut. Rows, options, kind and id stay
    the screen's.
    """
    call = judgement.call
    if judgement.standing is not Standing.WAITING or call is None:
        return prompt
    if call.kind is not CallKind.QUESTION:
        return attrs.evolve(prompt, context=call.input) if call.input else prompt
    for asked in call.questions:
        if _same_words(prompt.question, asked.text):
            return attrs.evolve(prompt, question=asked.text)
    return prompt


def _question_of(call: Call) -> str:
    texts = [asked.text for asked in call.questions if asked.text]
    return "\n".join(texts) or call.name


def _reading(
    kind: PromptKind, question: str, context: str, labels: tuple[str, ...], name: str = ""
) -> PromptReading:
    said = "\0".join((kind.value, name, question, context, *labels))
    return PromptReading(
        kind=kind,
        question=question,
        context=context,
        options=tuple(OptionReading(key="", label=label) for label in labels),
        fingerprint=hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest(),
    )


def _same_words(shown: str, asked: str) -> bool:
    """Tell whether a screen shows *asked*, or its beginning or end."""
    a, b = "".join(shown.split()), "".join(asked.split())
    return bool(a) and a != b and (b.startswith(a) or b.endswith(a))
