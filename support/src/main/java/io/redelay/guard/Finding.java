package io.redelay.guard;

/**
 * Something that is wrong with the server.
 *
 * @param level what follows
 * @param problem what is wrong and what it leads to, as a sentence
 * @param action what to do about it, as a sentence
 * @since 0.1.0
 */
public record Finding(GuardLevel level, String problem, String action) {

	@Override
	public String toString() {
		return this.problem + " " + this.action;
	}

}
