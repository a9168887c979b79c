package io.redelay.guard;

/**
 * Something that is wrong with the server.
 *
 * @param level the reaction to it
 * @param problem the problem and its effect, as a sentence
 * @param action the action to take, as a sentence
 * @since 0.1.0
 */
public record Finding(GuardLevel level, String problem, String action) {

	@Override
	public String toString() {
		return this.problem + " " + this.action;
	}

}
