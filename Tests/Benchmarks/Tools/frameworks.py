"""What a step costs in other frameworks: a scripted model that calls a tool which does nothing, so and so often.

Prints a JSON list of samples, in milliseconds a step: each framework as it comes, and with the store on disk that comes
with it. Each says whether it is the framework's safest way, in which the least is lost.
"""

import asyncio
import json
import logging
import sys
import tempfile
import time
import typing
import uuid

import agents
import langchain_core.language_models
import langchain_core.messages
import langchain_core.outputs
import langchain_core.tools
import langgraph.checkpoint.sqlite
import langgraph.graph
import langgraph.prebuilt
import openai.types.responses as responses

STEPS, RUNS = int(sys.argv[1]), int(sys.argv[2])

logging.disable(logging.CRITICAL)


# openai-agents


class CountingModel(agents.Model):
    def __init__(self) -> None:
        self.left = STEPS

    async def get_response(self, *arguments, **options) -> agents.ModelResponse:
        if self.left == 0:
            text = responses.ResponseOutputText(text="done", type="output_text", annotations=[])
            item = responses.ResponseOutputMessage(
                id="answer", content=[text], role="assistant", status="completed", type="message"
            )
        else:
            self.left -= 1
            call = f"call{self.left}"
            item = responses.ResponseFunctionToolCall(
                id=call, call_id=call, name="nothing", arguments="{}", type="function_call"
            )
        return agents.ModelResponse(output=[item], usage=agents.Usage(), response_id=None)

    def stream_response(self, *arguments, **options):
        raise NotImplementedError


@agents.function_tool
def nothing() -> str:
    """Does nothing."""
    return "done"


def openai_agents(store: str | None) -> float:
    agents.set_tracing_disabled(True)
    agent = agents.Agent(name="stepper", model=CountingModel(), tools=[nothing])
    session = agents.SQLiteSession("steps", f"{store}/{uuid.uuid4()}.sqlite") if store else None

    async def run() -> float:
        start = time.perf_counter()
        result = await agents.Runner.run(agent, "begin", max_turns=STEPS + 2, session=session)
        assert result.final_output == "done"
        return time.perf_counter() - start

    return asyncio.run(run())


# LangGraph


class CountingChat(langchain_core.language_models.BaseChatModel):
    left: int = STEPS

    @property
    def _llm_type(self) -> str:
        return "counting"

    def bind_tools(self, tools: typing.Any, **options: typing.Any) -> "CountingChat":
        return self

    def _generate(self, messages, stop=None, run_manager=None, **options):
        if self.left == 0:
            message = langchain_core.messages.AIMessage(content="done")
        else:
            self.left -= 1
            call = {"name": "nothing", "args": {}, "id": f"call{self.left}"}
            message = langchain_core.messages.AIMessage(content="", tool_calls=[call])
        generation = langchain_core.outputs.ChatGeneration(message=message)
        return langchain_core.outputs.ChatResult(generations=[generation])


@langchain_core.tools.tool("nothing")
def nothing_tool() -> str:
    """Does nothing."""
    return "done"


def lang_graph(store: str | None, durability: str | None = None) -> float:
    model = CountingChat()

    def ask(state: langgraph.graph.MessagesState) -> dict:
        return {"messages": [model.invoke(state["messages"])]}

    graph = langgraph.graph.StateGraph(langgraph.graph.MessagesState)
    graph.add_node("model", ask)
    graph.add_node("tools", langgraph.prebuilt.ToolNode([nothing_tool]))
    graph.add_edge(langgraph.graph.START, "model")
    graph.add_conditional_edges("model", langgraph.prebuilt.tools_condition)
    graph.add_edge("tools", "model")
    options = {"recursion_limit": 2 * STEPS + 10, "configurable": {"thread_id": "steps"}}

    def run(saver: typing.Any) -> float:
        compiled = graph.compile(checkpointer=saver)
        start = time.perf_counter()
        state = compiled.invoke({"messages": [("user", "begin")]}, options, durability=durability)
        assert state["messages"][-1].content == "done"
        return time.perf_counter() - start

    if store is None:
        return run(None)
    path = f"{store}/{uuid.uuid4()}.sqlite"
    with langgraph.checkpoint.sqlite.SqliteSaver.from_conn_string(path) as saver:
        return run(saver)


def lang_graph_in_order(store: str | None) -> float:
    # Otherwise a step is saved while the next one runs, and may be lost after its call was made.
    return lang_graph(store, durability="sync")


def main() -> None:
    ways = [
        ("openai-agents, nothing on disk", openai_agents, False, False),
        ("openai-agents with its SQLiteSession", openai_agents, True, True),
        ("LangGraph, nothing on disk", lang_graph, False, False),
        ("LangGraph with its SqliteSaver, in the background", lang_graph, True, False),
        ("LangGraph with its SqliteSaver, each step saved before the next", lang_graph_in_order, True, True),
    ]
    samples = []
    with tempfile.TemporaryDirectory() as folder:
        for name, run, keeps, is_safest in ways:
            store = folder if keeps else None
            run(store)
            values = [run(store) * 1000 / STEPS for _ in range(RUNS)]
            sample = {"name": name, "unit": "ms", "values": values}
            samples.append({"sample": sample, "isSafest": is_safest})
    print(json.dumps(samples))


if __name__ == "__main__":
    main()
