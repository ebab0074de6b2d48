import { Button, type ButtonProps } from "@mantine/core";
import { useId, type MouseEvent, type ReactNode } from "react";
import { useUi } from "./ui.tsx";

/** A button for something that needs a right, or a state. */
export interface ActProps extends Omit<ButtonProps, "disabled"> {
  /** Without this permission the button is not there. */
  readonly permission?: string;
  /** Why it cannot be done now: the button is there, off, and says it. */
  readonly off?: string | undefined;
  readonly onClick?: () => void;
}

/**
 * What a person may never do here is not shown; what the state forbids is shown, off, with the reason, and can still be reached by keyboard to hear it.
 *
 * @example
 * const remove = <Act permission="contacts:delete" off="This contact is being merged." onClick={() => console.log("removed")}>Delete</Act>;
 * console.log(remove.type);
 */
export function Act({ permission, off, onClick, children, ...rest }: ActProps): ReactNode {
  const { may } = useUi();
  const id = useId();
  if (permission !== undefined && !may(permission)) return null;
  const click = (event: MouseEvent): void => {
    if (off === undefined) onClick?.();
    else event.preventDefault();
  };
  return (
    <>
      <Button
        {...rest}
        {...(off === undefined ? {} : { "aria-disabled": true, "data-disabled": true, "aria-describedby": id, title: off })}
        onClick={click}
      >
        {children}
      </Button>
      {off !== undefined && (
        <span id={id} hidden>
          {off}
        </span>
      )}
    </>
  );
}
