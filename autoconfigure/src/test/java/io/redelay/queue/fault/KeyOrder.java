package io.redelay.queue.fault;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Judges by a journal whether messages of a key were handled one at a time and in their
 * order. A payload is {@code key-number}, from 0 on. What begins must be the message that
 * began last, once more, or the next one, if that one is done.
 */
final class KeyOrder {

	private final Map<String, Turn> turns = new HashMap<>();

	void assertKept(List<String> journal) {
		for (String line : journal) {
			String[] words = line.split(" ");
			int dash = words[1].lastIndexOf('-');
			long number = Long.parseLong(words[1].substring(dash + 1));
			Turn turn = this.turns.computeIfAbsent(words[1].substring(0, dash), (key) -> new Turn());
			assertThat(turn.take(words[0], number)).as("'%s' when %s, in%n%s", line, turn, String.join("\n", journal))
				.isTrue();
		}
	}

	/**
	 * How far a key is.
	 */
	private static final class Turn {

		private long current = -1;

		private boolean done = true;

		/**
		 * Whether it may be so.
		 */
		boolean take(String event, long number) {
			if (event.equals("begin")) {
				if (number != this.current) {
					if (number != this.current + 1 || !this.done) {
						return false;
					}
					this.current = number;
					this.done = false;
				}
				return true;
			}
			this.done |= event.equals("done");
			return number == this.current;
		}

		@Override
		public String toString() {
			return this.current + (this.done ? " was done last" : " had the turn");
		}

	}

}
