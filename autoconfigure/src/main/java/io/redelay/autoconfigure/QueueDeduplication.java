package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

import io.redelay.queue.Deduplication;
import io.redelay.queue.send.DeduplicationSettings;
import io.redelay.template.MessageTemplates;
import io.redelay.template.TemplateException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * The deduplication of messages to one queue by key. What a mode takes has no name of its
 * own among the properties.
 *
 * @param key The key of messages whose sender sets no deduplication: a template like
 * "#{payload.orderId}".
 * @param mode How a message is treated whose key another one has: it is not added
 * (first-wins, the default), it replaces the waiting one (debounce), or its payload is
 * added to the waiting one (aggregate).
 * @param firstWins What first-wins takes.
 * @param debounce What debounce takes.
 * @param aggregate What aggregate takes.
 */
record QueueDeduplication(@Nullable String key, @Nullable Mode mode, @Name("") @DefaultValue FirstWins firstWins,
		@Name("") @DefaultValue Debounce debounce, @Name("") @DefaultValue Aggregate aggregate) {

	boolean isAggregate() {
		return this.mode == Mode.AGGREGATE;
	}

	/**
	 * Returns the defaults of senders, or {@code null} if nothing is set.
	 * @throws InvalidQueuePropertyException if a value is invalid; the message names the
	 * property and the remedy
	 */
	@Nullable DeduplicationSettings toSettings(String queue, MessageTemplates templates) {
		String place = "'redelay.queue.queues." + queue + ".deduplication.";
		Map<String, @Nullable Object> given = given();
		if (this.key == null && this.mode == null && given.values().stream().allMatch((value) -> value == null)) {
			return null;
		}
		if (this.key == null) {
			throw new InvalidQueuePropertyException(place + "key' is missing: it says which messages belong together",
					"Write a template like #{payload.orderId}", null);
		}
		Mode mode = (this.mode != null) ? this.mode : Mode.FIRST_WINS;
		check(place, mode, given);
		Function<String, Deduplication> rule = rule(mode);
		try {
			Assert.notNull(rule.apply("key"), "A rule gives a deduplication");
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidQueuePropertyException(
					"'redelay.queue.queues." + queue + ".deduplication' cannot work: " + ex.getMessage(),
					"Correct the value", ex);
		}
		try {
			return new DeduplicationSettings(templates.parse(place + "key'", this.key), rule);
		}
		catch (TemplateException ex) {
			throw new InvalidQueuePropertyException(ex);
		}
	}

	private Map<String, @Nullable Object> given() {
		Map<String, @Nullable Object> given = new LinkedHashMap<>();
		given.put("window", this.firstWins.window());
		given.put("extend", this.firstWins.extend());
		given.put("delay", this.debounce.delay());
		given.put("longest-wait", this.debounce.longestWait());
		given.put("grace-period", this.aggregate.gracePeriod());
		given.put("max-wait", this.aggregate.maxWait());
		given.put("max-count", this.aggregate.maxCount());
		given.put("max-size", this.aggregate.maxSize());
		return given;
	}

	private static void check(String place, Mode mode, Map<String, @Nullable Object> given) {
		given.forEach((name, value) -> {
			if (value != null && !mode.takes(name)) {
				throw new InvalidQueuePropertyException(
						place + name + "' is not for the mode " + mode + ", which takes " + mode.required(),
						"Leave it out, or choose another mode", null);
			}
		});
		List<String> missing = new ArrayList<>(mode.required());
		missing.removeIf((name) -> given.get(name) != null);
		if (!missing.isEmpty()) {
			throw new InvalidQueuePropertyException(
					place + missing.get(0) + "' is missing, which the mode " + mode + " needs",
					"Write a value, such as " + ("max-count".equals(missing.get(0)) ? "20" : "10m"), null);
		}
	}

	@SuppressWarnings("NullAway") // checked before
	private Function<String, Deduplication> rule(Mode mode) {
		return switch (mode) {
			case FIRST_WINS -> (key) -> new Deduplication.FirstWins(key, this.firstWins.window(),
					Boolean.TRUE.equals(this.firstWins.extend()));
			case DEBOUNCE -> (key) -> Deduplication.debounce(key, this.debounce.delay(), this.debounce.longestWait());
			case AGGREGATE ->
				(key) -> new Deduplication.Aggregate(key, this.aggregate.gracePeriod(), this.aggregate.maxWait(),
						this.aggregate.maxCount(), (int) Math.min(Integer.MAX_VALUE, (this.aggregate.maxSize() != null)
								? this.aggregate.maxSize().toBytes() : Deduplication.Aggregate.LARGEST));
		};
	}

	/**
	 * What the mode first-wins takes.
	 *
	 * @param window How long after the first message others with its key are duplicates.
	 * @param extend Whether each duplicate has the window begin anew; false by default.
	 */
	public record FirstWins(@Nullable Duration window, @Nullable Boolean extend) {

	}

	/**
	 * What the mode debounce takes.
	 *
	 * @param delay How long after the newest message with its key it is due.
	 * @param longestWait How long after the first message with its key one is due at the
	 * latest.
	 */
	public record Debounce(@Nullable Duration delay, @Nullable Duration longestWait) {

	}

	/**
	 * What the mode aggregate takes.
	 *
	 * @param gracePeriod How long after the newest payload with its key the message is
	 * due; only the first payload decides by default.
	 * @param maxWait How long after the first payload with its key the message is due,
	 * with a grace period at the latest.
	 * @param maxCount How many payloads a message has at most, 2 to 1000.
	 * @param maxSize How large a message becomes at most, 256KB by default.
	 */
	public record Aggregate(@Nullable Duration gracePeriod, @Nullable Duration maxWait, @Nullable Integer maxCount,
			@Nullable DataSize maxSize) {

	}

	/**
	 * How a message is treated whose key another one has.
	 */
	public enum Mode {

		/**
		 * It is not added.
		 */
		FIRST_WINS,

		/**
		 * It replaces the one that waits.
		 */
		DEBOUNCE,

		/**
		 * Its payload is added to the one that waits.
		 */
		AGGREGATE;

		private List<String> required() {
			return switch (this) {
				case FIRST_WINS -> List.of("window");
				case DEBOUNCE -> List.of("delay", "longest-wait");
				case AGGREGATE -> List.of("max-wait", "max-count");
			};
		}

		private boolean takes(String property) {
			return required().contains(property) || switch (this) {
				case FIRST_WINS -> property.equals("extend");
				case DEBOUNCE -> false;
				case AGGREGATE -> property.equals("max-size") || property.equals("grace-period");
			};
		}

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT).replace('_', '-');
		}

	}

}
