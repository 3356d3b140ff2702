"""Uses a coordinator as the official client of OpenAI does; prints a line for each thing that holds.

The agent `clerk` of the test answers by what it is told: see OpenAIClientTests.swift.
"""

import asyncio
import json
import os
import sys

import openai
from pydantic import BaseModel

BASE = os.environ["DOOR_URL"] + "/v1"
TOKEN = os.environ["DOOR_TOKEN"]
CHAT = "/chat/completions"
requests = []


def count(request):
    requests.append(str(request.url))


# A machine that is busy with other tests may take long for the first answer.
http = openai.DefaultHttpxClient(event_hooks={"request": [count]})
client = openai.OpenAI(base_url=BASE, api_key=TOKEN, http_client=http, timeout=120)


def user(*texts):
    roles = ["user", "assistant"]
    return [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]


def chat(*texts, **more):
    return client.chat.completions.create(model="clerk", messages=user(*texts), **more)


def raw(*texts, **more):
    return client.chat.completions.with_raw_response.create(
        model="clerk", messages=user(*texts), **more
    )


def fails(kind, code, body, sent=1):
    """Checks which error a call raises, with which code, and after how many requests."""
    before = len(requests)
    try:
        body()
    except kind as error:
        assert error.code == code, (error.code, str(error))
        assert len(requests) - before == sent, requests[before:]
        return error
    raise AssertionError(f"no {kind.__name__}")


def models():
    names = [model.id for model in client.models.list()]
    assert names == ["orchestrator", "orchestrator/plain", "clerk", "coach"], names
    assert client.models.retrieve("orchestrator/plain").owned_by == "orchestrator"
    fails(openai.NotFoundError, "model_not_found", lambda: client.models.retrieve("nemo"))


def whole():
    answer = chat("hello")
    message = answer.choices[0].message
    assert (message.role, message.content) == ("assistant", "You said hello."), message
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.prompt_tokens > 0 and answer.usage.completion_tokens == 3, answer.usage
    assert answer.usage.prompt_tokens_details.cached_tokens is not None
    begun = client.chat.completions.create(model="orchestrator", messages=user("hello"))
    assert begun.choices[0].message.content == "You said hello."


def reasoning():
    answer = chat("think")
    message = answer.choices[0].message
    assert message.content == "Thought.", message
    # A token is a word here.
    assert answer.usage.completion_tokens_details.reasoning_tokens == 1, answer.usage
    response = client.responses.create(model="clerk", input="think")
    assert response.usage.output_tokens_details.reasoning_tokens == 1, response.usage
    assert message.reasoning_content.startswith("Hm."), message


def tool_inside():
    answer = chat("tool")
    message = answer.choices[0].message
    assert message.content == "It is found crane.", message
    assert message.tool_calls is None
    assert 'Find{"name": "crane"}' in message.reasoning_content, message.reasoning_content
    assert "Find → found crane" in message.reasoning_content, message.reasoning_content
    # Both requests of the turn count.
    assert answer.usage.prompt_tokens > chat("hello").usage.prompt_tokens


def baton():
    message = chat("pass").choices[0].message
    assert message.content == "Coach here.", message
    assert "baton: clerk → coach" in message.reasoning_content, message


def stream():
    options = {"include_usage": True}
    chunks = list(chat("tool", stream=True, stream_options=options))
    assert chunks[0].choices[0].delta.role == "assistant"
    assert len({chunk.id for chunk in chunks}) == 1
    assert [chunk.usage for chunk in chunks[:-1]] == [None] * (len(chunks) - 1)
    assert chunks[-1].choices == [] and chunks[-1].usage.completion_tokens > 0
    assert chunks[-2].choices[0].finish_reason == "stop"
    deltas = [chunk.choices[0].delta for chunk in chunks[:-1]]
    assert "".join(delta.content or "" for delta in deltas) == "It is found crane."
    assert not any(delta.tool_calls for delta in deltas)
    told = "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas)
    assert "found crane" in told, told


def stream_helper():
    with client.chat.completions.stream(model="clerk", messages=user("hello")) as events:
        text = "".join(event.delta for event in events if event.type == "content.delta")
        final = events.get_final_completion()
    assert text == final.choices[0].message.content == "You said hello."


class Person(BaseModel):
    age: int


def structured():
    answer = client.chat.completions.parse(
        model="clerk", messages=user("age"), response_format=Person
    )
    assert answer.choices[0].message.parsed == Person(age=5), answer
    response = client.responses.parse(model="clerk", input="age", text_format=Person)
    assert response.output_parsed == Person(age=5), response
    error = fails(
        openai.BadRequestError,
        "unsupported_parameter",
        lambda: chat(
            "age",
            response_format={
                "type": "json_schema",
                "json_schema": {
                    "name": "odd",
                    "schema": {"type": "object", "properties": {"a": {"type": "integer", "multipleOf": 2}}},
                },
            },
        ),
    )
    assert "multipleOf" in str(error)


def sessions():
    first = raw("one")
    session = first.headers["x-orchestrator-session"]
    assert first.headers["x-orchestrator-turn"] == first.parse().id.removeprefix("chatcmpl-")
    said = "You said one."
    second = raw("one", said, "count")
    assert second.headers["x-orchestrator-session"] == session
    assert second.parse().choices[0].message.content == "2 prompts"
    third = raw("one", said, "count", "2 prompts", "count")
    assert third.headers["x-orchestrator-session"] == session
    named = {"x-orchestrator-session": "my-talk"}
    assert raw("one", extra_headers=named).headers["x-orchestrator-session"] == "my-talk"
    assert raw("count", extra_headers=named).parse().choices[0].message.content == "2 prompts"
    assert raw("count", metadata={"session": "my-talk"}).parse().choices[0].message.content == (
        "3 prompts"
    )


def regenerated():
    first = raw("one")
    session = first.headers["x-orchestrator-session"]
    raw("one", "You said one.", "two")
    again = raw("one", "You said one.", "count")
    assert again.headers["x-orchestrator-session"] != session
    assert again.parse().choices[0].message.content == "2 prompts"


def imported():
    answer = raw("one", "I never said that.", "count")
    assert answer.parse().choices[0].message.content == "2 prompts"


def system():
    answer = client.chat.completions.create(
        model="clerk", messages=[{"role": "system", "content": "Be brief."}] + user("instructions")
    )
    assert answer.choices[0].message.content == "You file.\n\nBe brief.", answer
    response = client.responses.create(model="clerk", instructions="Be kind.", input="instructions")
    assert response.output_text == "You file.\n\nBe kind.", response.output_text


def refused():
    for more in [{"n": 2}, {"logprobs": True}, {"tool_choice": "required"}]:
        error = fails(
            openai.BadRequestError, "unsupported_parameter", lambda: chat("hello", **more)
        )
        assert error.param == list(more)[0], error.param
        assert error.request_id.startswith("req_")
    fails(openai.NotFoundError, "model_not_found", lambda: client.chat.completions.create(
        model="nemo", messages=user("hello")))
    stranger = client.with_options(api_key="guess")
    fails(openai.AuthenticationError, "invalid_api_key", lambda: stranger.models.list())
    message = [{"type": "image_url", "image_url": {"url": "http://127.0.0.1/a.png"}}]
    fails(openai.BadRequestError, "invalid_image", lambda: client.chat.completions.create(
        model="clerk", messages=[{"role": "user", "content": message}]))


def ignored():
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    answer = raw("hello", tools=[tool], user="me", extra_body={"new_field": 1})
    assert answer.headers["x-orchestrator-ignored"] == "new_field, tools", answer.headers


def failing():
    error = fails(openai.InternalServerError, "turn_failed", lambda: chat("fail"))
    assert error.request_id.startswith("req_")


def failing_stream():
    def run():
        for _ in chat("fail", stream=True):
            pass

    fails(openai.APIError, "turn_failed", run)
    fails(
        openai.NotFoundError,
        "model_not_found",
        lambda: client.chat.completions.create(model="nemo", messages=user("a"), stream=True),
    )


def repeated():
    headers = {"Idempotency-Key": "once"}
    first, again = (chat("hello", extra_headers=headers) for _ in range(2))
    assert (first.id, first.choices) == (again.id, again.choices)
    fails(
        openai.BadRequestError,
        "idempotency_key_reused",
        lambda: chat("other", extra_headers=headers),
    )


def responses():
    first = client.responses.create(model="clerk", input="tool", metadata={"who": "me"})
    assert first.status == "completed" and first.output_text == "It is found crane."
    call, message = first.output
    assert (call.type, call.name, call.arguments, call.output) == (
        "mcp_call", "Find", '{"name": "crane"}', "found crane",
    )
    assert message.phase == "final_answer"
    assert first.metadata["who"] == "me"
    assert first.usage.input_tokens > 0 and first.usage.output_tokens > 0
    second = client.responses.create(model="clerk", input="count", previous_response_id=first.id)
    assert second.output_text == "2 prompts", second.output_text
    assert second.conversation == first.conversation
    fork = client.responses.create(model="clerk", input="count", previous_response_id=first.id)
    assert fork.output_text == "2 prompts" and fork.conversation != first.conversation
    named = client.responses.create(model="clerk", input="count", conversation=first.conversation.id)
    assert named.output_text == "3 prompts", named.output_text
    read = client.responses.retrieve(first.id)
    assert (read.output, read.usage, read.metadata) == (first.output, first.usage, first.metadata)
    fails(openai.NotFoundError, "response_not_found", lambda: client.responses.retrieve("resp_0"))
    fails(
        openai.NotFoundError,
        "previous_response_not_found",
        lambda: client.responses.create(
            model="clerk", input="a", previous_response_id="resp_999999"
        ),
    )
    alone = client.responses.create(model="clerk", input="hello")
    client.responses.delete(alone.id)
    fails(openai.NotFoundError, "response_not_found", lambda: client.responses.retrieve(alone.id))


def responses_stream():
    events = list(client.responses.create(model="clerk", input="tool", stream=True))
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[0].type == "response.created" and events[-1].type == "response.completed"
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert text == events[-1].response.output_text == "It is found crane."
    with client.responses.stream(model="clerk", input="think") as helper:
        for _ in helper:
            pass
        final = helper.get_final_response()
    assert final.output_text == "Thought."
    assert final.output[0].summary[0].text == "Hm.", final.output[0]
    failed = list(client.responses.create(model="clerk", input="fail", stream=True))[-1]
    assert failed.type == "response.failed" and failed.response.error.code == "turn_failed"


def background():
    begun = client.responses.create(model="clerk", input="wait", background=True)
    assert begun.status == "in_progress", begun.status
    assert client.responses.retrieve(begun.id).status == "in_progress"
    assert client.responses.cancel(begun.id).status == "cancelled"


def kept():
    def names():
        return {session["name"] for session in client.get("/sessions", cast_to=object)}

    before = names()
    chat("hello", store=False)
    raw("hello", extra_headers={"x-orchestrator-session": "-"})
    client.chat.completions.create(model="orchestrator/plain", messages=user("hello"))
    chat("### Task: Make a title.", extra_headers={"x-openwebui-chat-id": "7"})
    assert names() == before, names() - before
    chat("hello", extra_headers={"x-openwebui-chat-id": "7"})
    assert names() - before == {"owui-7-clerk"}


def asynchronous():
    async def run():
        other = openai.AsyncOpenAI(base_url=BASE, api_key=TOKEN, timeout=120)
        answer = await other.chat.completions.create(model="clerk", messages=user("hello"))
        assert answer.choices[0].message.content == "You said hello."
        pieces = [
            chunk.choices[0].delta.content or ""
            async for chunk in await other.chat.completions.create(
                model="clerk", messages=user("hello"), stream=True
            )
        ]
        assert "".join(pieces) == "You said hello."
        several = await asyncio.gather(
            *(other.responses.create(model="clerk", input="hello") for _ in range(4))
        )
        assert len({response.conversation.id for response in several}) == 4
        await other.close()

    asyncio.run(run())


checks = [
    models, whole, reasoning, tool_inside, baton, stream, stream_helper, structured, sessions,
    regenerated, imported, system, refused, ignored, failing, failing_stream, repeated, responses,
    responses_stream, background, kept, asynchronous,
]
wanted = sys.argv[1:]
bad = 0
for check in checks:
    if wanted and check.__name__ not in wanted:
        continue
    try:
        check()
        print("ok", check.__name__, flush=True)
    except Exception as error:
        bad += 1
        import traceback

        traceback.print_exc()
        print("failed", check.__name__, json.dumps(str(error))[:500], flush=True)
sys.exit(1 if bad else 0)
