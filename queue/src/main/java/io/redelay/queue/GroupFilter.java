package io.redelay.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.springframework.util.Assert;

/**
 * Which messages of a topic a group gets copies of: those whose headers meet all
 * conditions. It is kept with the group in Redis, as data, not code.
 *
 * @param conditions the conditions; none if the group gets each message
 * @since 0.1.0
 */
public record GroupFilter(List<Condition> conditions) {

	/**
	 * The filter of a group that gets each message.
	 */
	public static final GroupFilter NONE = new GroupFilter(List.of());

	private static final int MAX_CONDITIONS = 50;

	private static final int MAX_LENGTH = 4000;

	/**
	 * Copies the conditions.
	 * @throws IllegalArgumentException if there are more than 50, or their names and
	 * values have more than 4000 characters together
	 */
	public GroupFilter {
		conditions = List.copyOf(conditions);
		int count = conditions.size();
		if (count > MAX_CONDITIONS) {
			throw new IllegalArgumentException(
					"a filter has up to " + MAX_CONDITIONS + " conditions, and this one has " + count);
		}
		int length = conditions.stream().mapToInt(Condition::length).sum();
		if (length > MAX_LENGTH) {
			throw new IllegalArgumentException("the names and values of a filter have up to " + MAX_LENGTH
					+ " characters, and those of this one have " + length);
		}
	}

	/**
	 * Whether it accepts all messages.
	 * @return whether there is no condition
	 */
	public boolean isEmpty() {
		return this.conditions.isEmpty();
	}

	/**
	 * Whether the group gets a copy of a message.
	 * @param headers the headers of the message, each as text
	 * @return whether all conditions hold
	 */
	public boolean accepts(Map<String, String> headers) {
		for (Condition condition : this.conditions) {
			if (!condition.holds(headers)) {
				return false;
			}
		}
		return true;
	}

	/**
	 * The filter with another condition.
	 */
	private GroupFilter and(String header, Operator operator, List<String> values) {
		List<Condition> more = new ArrayList<>(this.conditions);
		more.add(new Condition(header, operator, values));
		return new GroupFilter(more);
	}

	/**
	 * The filter with the condition that a header has one of some values.
	 * @param header the header
	 * @param values the values, as text
	 * @return the filter
	 */
	public GroupFilter oneOf(String header, String... values) {
		return and(header, Operator.ONE_OF, List.of(values));
	}

	/**
	 * The filter with the condition that a header has a value.
	 * @param header the header
	 * @param value the value, as text
	 * @return the filter
	 */
	public GroupFilter equalTo(String header, String value) {
		return oneOf(header, value);
	}

	/**
	 * The filter with the condition that the value of a header begins with something.
	 * @param header the header
	 * @param prefix what it begins with
	 * @return the filter
	 */
	public GroupFilter prefix(String header, String prefix) {
		return and(header, Operator.PREFIX, List.of(prefix));
	}

	/**
	 * The filter with the condition that there is a header, or that there is none.
	 * @param header the header
	 * @param exists whether there is one
	 * @return the filter
	 */
	public GroupFilter exists(String header, boolean exists) {
		return and(header, exists ? Operator.EXISTS : Operator.ABSENT, List.of());
	}

	/**
	 * The conditions as they are shown to a person.
	 * @return such as {@code region one of [EU, DE] and type exists}; nothing if there is
	 * none
	 */
	@Override
	public String toString() {
		return this.conditions.stream().map(Condition::toString).collect(Collectors.joining(" and "));
	}

	/**
	 * What is asked of a header.
	 */
	public enum Operator {

		/**
		 * It has one of the values.
		 */
		ONE_OF,

		/**
		 * It begins with the value.
		 */
		PREFIX,

		/**
		 * There is one.
		 */
		EXISTS,

		/**
		 * There is none.
		 */
		ABSENT

	}

	/**
	 * A condition on a header.
	 *
	 * @param header the header
	 * @param operator what is asked of it
	 * @param values with what it is compared: at least one value, one for
	 * {@link Operator#PREFIX}, none for {@link Operator#EXISTS} and
	 * {@link Operator#ABSENT}
	 */
	public record Condition(String header, Operator operator, List<String> values) {

		/**
		 * Checks the values.
		 * @throws IllegalArgumentException if the name is empty or one of Redelay's own,
		 * a value is empty, or there are too many or too few
		 */
		public Condition {
			values = List.copyOf(values);
			Assert.hasText(header, "the name of the header of a filter must not be empty");
			if (header.startsWith(QueueHeaders.PREFIX)) {
				throw new IllegalArgumentException("a filter looks at the headers that the sender gave a message, and '"
						+ header + "' is one of Redelay's own");
			}
			int count = values.size();
			boolean fits = switch (operator) {
				case ONE_OF -> count >= 1;
				case PREFIX -> count == 1;
				case EXISTS, ABSENT -> count == 0;
			};
			if (!fits) {
				throw new IllegalArgumentException(
						"the condition on the header '" + header + "' has " + count + " values");
			}
			if (values.stream().anyMatch(String::isEmpty)) {
				throw new IllegalArgumentException(
						"the condition on the header '" + header + "' has a value that is empty");
			}
		}

		private int length() {
			return this.header.length() + this.values.stream().mapToInt(String::length).sum();
		}

		private boolean holds(Map<String, String> headers) {
			String value = headers.get(this.header);
			return switch (this.operator) {
				case ONE_OF -> value != null && this.values.contains(value);
				case PREFIX -> value != null && value.startsWith(this.values.get(0));
				case EXISTS -> value != null;
				case ABSENT -> value == null;
			};
		}

		/**
		 * The condition as it is shown to a person.
		 * @return such as {@code region one of [EU, DE]}
		 */
		@Override
		public String toString() {
			return switch (this.operator) {
				case ONE_OF -> (this.values.size() == 1) ? this.header + " = " + this.values.get(0)
						: this.header + " one of " + this.values;
				case PREFIX -> this.header + " begins with " + this.values.get(0);
				case EXISTS -> this.header + " exists";
				case ABSENT -> this.header + " does not exist";
			};
		}

	}

}
