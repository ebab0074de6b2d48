import { ActionIcon } from "@mantine/core";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { useUi } from "./ui.tsx";

/**
 * Two buttons that put an item of a list one place up or down; what leads nowhere is off, and keeps the focus of who got there by it.
 *
 * @example
 * const steps = <Steps name="Proposal" at={0} count={3} move={(to) => console.log(to)} />;
 * console.log(steps.type);
 */
export function Steps({ name, at, count, move }: { name: string; at: number; count: number; move: (to: number) => void }): ReactNode {
  const { say } = useUi();
  return (
    [
      ["up", at - 1, ArrowUp],
      ["down", at + 1, ArrowDown],
    ] as const
  ).map(([way, to, Icon]) => {
    const off = to < 0 || to >= count;
    return (
      <ActionIcon
        key={way}
        size={28}
        aria-label={say(`order.${way}`, { name })}
        {...(off ? { "aria-disabled": true, "data-disabled": true } : { onClick: () => move(to) })}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    );
  });
}
