package io.redelay.queue.admin;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a queue is limited to, and where that comes from. A limit that is set at run time
 * goes before what listeners and senders declare.
 *
 * @param queue the queue
 * @param entries an entry for each {@link QueueLimit}, in their order
 * @param changedAt when what is set was changed last, by the clock of Redis; {@code null}
 * if nothing is set
 * @param changedBy what people call the instance that was asked to change it
 * ({@code redelay.queue.instance-name}); {@code null} if nothing is set
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
	 * @return what holds
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
	 * What holds of one limit.
	 *
	 * @param limit which limit
	 * @param origin where it comes from
	 * @param inForce what holds, as text; empty if nothing is limited. Several values if
	 * instances declare different ones: each claims by its own then
	 * @param set what is set at run time, or {@code null} if nothing is
	 * @param declared what is declared, whether it holds or not
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
