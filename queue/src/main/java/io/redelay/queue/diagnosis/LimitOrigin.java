package io.redelay.queue.diagnosis;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A limit in force, and where it comes from.
 *
 * @param attribute its name in declarations
 * @param value its value, or {@code null} if that is not known
 * @param setBy the name of the instance that set it for all instances, or {@code null} if
 * it is declared
 * @param setAt when it was set, if it was
 */
record LimitOrigin(String attribute, @Nullable String value, @Nullable String setBy, @Nullable Instant setAt) {

	/**
	 * Returns the limit in force: a limit set for all instances goes before one that a
	 * listener declares.
	 */
	static LimitOrigin of(DiagnosisContext now, String attribute, @Nullable String set, @Nullable String declared) {
		return (set != null) ? new LimitOrigin(attribute, set, now.limits().changedBy(), now.limits().changedAt())
				: new LimitOrigin(attribute, declared, null, null);
	}

	@Nullable Integer number() {
		return (this.value != null) ? Integer.valueOf(this.value) : null;
	}

	String origin() {
		return (this.setBy != null) ? "SET" : "DECLARED";
	}

	/**
	 * The limit, as the subject of a sentence.
	 */
	String what() {
		return described("'" + this.attribute + "'");
	}

	/**
	 * The same, with its value.
	 */
	String whatWithValue() {
		return described("'" + this.attribute + "'" + ((this.value != null) ? " " + this.value : ""));
	}

	private String described(String name) {
		return (this.setBy == null) ? "the listener's " + name : name + ", set at run time for all instances by '"
				+ this.setBy + "' (last change " + this.setAt + "),";
	}

	/**
	 * How the limit is raised, as the beginning of a sentence.
	 */
	String raise() {
		return "Raise '" + this.attribute + "'" + ((this.setBy != null)
				? " with QueueAdmin.limits().change, or take it away with QueueAdmin.limits().clear" : "");
	}

}
