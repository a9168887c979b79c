package io.redelay.queue.admin;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The limits of a queue, and where they come from. A limit that is set at run time goes
 * before the declarations of listeners and senders.
 *
 * @param queue the queue
 * @param entries an entry for each {@link QueueLimit}, in their order
 * @param changedAt when the limits set at run time were changed last, by the clock of
 * Redis; {@code null} if none is set
 * @param changedBy the display name of the instance that changed them
 * ({@code redelay.queue.instance-name}); {@code null} if none is set
 * @since 0.1.0
 */
public record QueueLimits(String queue, List<Entry> entries, @Nullable Instant changedAt, @Nullable String changedBy) {

	/**
	 * Copies the entries.
	 */
	public QueueLimits {
		entries = List.copyOf(entries);
	}

	/**
	 * Returns the entry of a limit.
	 * @param limit the limit
	 * @return the entry
	 */
	public Entry of(QueueLimit limit) {
		return this.entries.stream().filter((entry) -> entry.limit() == limit).findFirst().orElseThrow();
	}

	/**
	 * Where a limit comes from.
	 */
	public enum Origin {

		/**
		 * There is none.
		 */
		NONE,

		/**
		 * It is declared: by an attribute of a listener, or by a property.
		 */
		DECLARED,

		/**
		 * It was set at run time.
		 */
		SET

	}

	/**
	 * The values of one limit.
	 *
	 * @param limit which limit
	 * @param origin where it comes from
	 * @param inForce the values in force, as text; empty if there is no limit. Several
	 * values if instances declare different ones: each claims by its own then
	 * @param set the value set at run time, or {@code null} if none is
	 * @param declared the declared values, in force or not
	 */
	public record Entry(QueueLimit limit, Origin origin, List<String> inForce, @Nullable String set,
			List<Declared> declared) {

		/**
		 * Copies the lists.
		 */
		public Entry {
			inForce = List.copyOf(inForce);
			declared = List.copyOf(declared);
		}

	}

	/**
	 * A value that is declared.
	 *
	 * @param value the value as text
	 * @param by the ids of the listeners that declare it in running instances, or the
	 * property of this application
	 */
	public record Declared(String value, List<String> by) {

		/**
		 * Copies the list.
		 */
		public Declared {
			by = List.copyOf(by);
		}

	}

}
