package io.portico.mobile;

/** A call that failed. */
public final class MobileException extends Exception {
    private static final long serialVersionUID = 1;
    private final Status status;
    private final String problem;

    MobileException(Status status, String problem) {
        super(problem.isEmpty() ? status.name() : status.name() + " (" + problem + ")");
        this.status = status;
        this.problem = problem;
    }

    public Status status() {
        return status;
    }

    /** Returns the error code of the server for {@link Status#REFUSED}, for example {@code plan_required}, or an empty text. */
    public String problem() {
        return problem;
    }
}
