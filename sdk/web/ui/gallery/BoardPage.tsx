import { useMemo, useState, type ReactNode } from "react";
import { Board, Text, useAddress, useUi, type BoardColumn, type Place } from "../src/index.ts";
import { contact, STAGES, type Contact } from "./server.ts";

const id = (card: Contact): string => card.id;

export function BoardPage(): ReactNode {
  const { texts, send } = useUi();
  const [, query] = useAddress();
  const count = Number(new URLSearchParams(query).get("count") ?? 60);
  const [cards, setCards] = useState<ReadonlyMap<string, readonly Contact[]>>(() => {
    const all = Array.from({ length: count }, (_, at) => contact(at));
    return new Map(STAGES.map((stage) => [stage, stage === "Negotiation" ? [] : all.filter((each) => each.stage === stage)]));
  });
  const columns = useMemo(
    () =>
      STAGES.map((stage): BoardColumn => {
        const list = cards.get(stage) ?? [];
        return {
          id: stage,
          label: stage,
          count: list.length,
          sum: texts.money(
            list.reduce((sum, each) => sum + each.value, 0),
            "EUR",
          ),
        };
      }),
    [cards, texts],
  );
  const move = async (moving: readonly Contact[], to: Place): Promise<void> => {
    await send({ method: "PATCH", path: `/api/contacts/${moving[0]?.id}`, body: { stage: to.column } });
    setCards((before) => {
      const ids = new Set(moving.map(id));
      const next = new Map([...before].map(([stage, list]) => [stage, list.filter((each) => !ids.has(each.id))]));
      next.get(to.column)?.splice(to.index, 0, ...moving);
      return next;
    });
  };
  return (
    <Board
      label="Sales"
      columns={columns}
      cards={cards}
      id={id}
      name={(card) => card.name}
      closed={(card, column) => (column === "Won" && card.stage === "Lead" ? "not from Lead" : undefined)}
      onMove={move}
      render={(card) => (
        <>
          <Text>{card.name}</Text>
          <Text>{card.company}</Text>
          {texts.money(card.value, "EUR")}
        </>
      )}
    />
  );
}
