package io.redelay.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.recurring.MissedTicks;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RunLimits;
import io.redelay.queue.recurring.engine.DeclarationReader;
import io.redelay.queue.recurring.engine.MessageAttributes;
import io.redelay.queue.recurring.engine.RecurringEngine;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * A message that is sent again and again. A group without a name has its properties among
 * those of the message.
 *
 * @param queue The queue.
 * @param payload Payload of each message: JSON, or else a text. By default its name and
 * the time of its tick.
 * @param schedule When it is sent.
 * @param ticks How missed and overlapping ticks are treated.
 * @param limits From when it runs, and for how long.
 * @param message What its messages have.
 * @since 0.1.0
 */
record RecurringMessageProperties(@Nullable String queue, @Nullable String payload,
		@Name("") @DefaultValue Schedule schedule, @Name("") @DefaultValue Ticks ticks,
		@Name("") @DefaultValue Limits limits, @Name("") @DefaultValue Attributes message) {

	private static final String NOTHING = "-";

	void declare(String name, RecurringEngine engine) {
		if (!NOTHING.equals(this.schedule.cron())) {
			String place = "The recurring message of the property 'redelay.queue.recurring." + name + "'";
			engine.declare(toDeclaration(name, place), place);
		}
	}

	private RecurringDeclaration toDeclaration(String name, String place) {
		String to = (this.queue != null) ? this.queue : "";
		String zone = this.schedule.zone();
		ZoneId clock = (zone != null) ? DeclarationReader.zone(zone, place) : null;
		RecurringDeclaration plain = new RecurringDeclaration(to, name, this.schedule.cron(), clock,
				this.schedule.every(), read(this.payload), this.ticks.missed(), this.ticks.maxMissed(),
				this.ticks.overlap(), this.ticks.maxQueued(), this.ticks.lateAfter(), this.message.tags(),
				this.limits.toLimits(clock, place), OutboundMessage.to(to, ""));
		return DeclarationReader.options(plain, this.message::addTo, place);
	}

	private static @Nullable Object read(@Nullable String payload) {
		if (payload == null) {
			return null;
		}
		try {
			JsonNode json = JsonMapper.shared().readTree(payload);
			return (json.isObject() || json.isArray()) ? json : payload;
		}
		catch (JacksonException ex) {
			return payload;
		}
	}

	/**
	 * When it is sent.
	 *
	 * @param cron When it is sent: a cron expression of six fields, or a macro such as
	 * &#64;daily. "-" sends nothing.
	 * @param zone The zone of the cron expression. By default that of the JVM.
	 * @param every The time between two ticks, instead of a cron expression.
	 */
	public record Schedule(@Nullable String cron, @Nullable String zone, @Nullable Duration every) {

	}

	/**
	 * How missed and overlapping ticks are treated.
	 *
	 * @param missed How missed ticks are treated.
	 * @param maxMissed How many missed ticks run at most if all should run.
	 * @param overlap How a tick is treated while an earlier run has not ended.
	 * @param maxQueued How many ticks wait at most if they queue.
	 * @param lateAfter How long after its due time a tick is late.
	 */
	public record Ticks(@DefaultValue("once") MissedTicks missed, @DefaultValue("10") int maxMissed,
			@DefaultValue("skip") OverlappingRuns overlap, @DefaultValue("100") int maxQueued,
			@DefaultValue("1m") Duration lateAfter) {

	}

	/**
	 * From when it runs, and for how long.
	 *
	 * @param from Time before which it does not run, such as 2027-01-31T18:00:00+01:00,
	 * or without an offset by the clock of its zone.
	 * @param until Time after which it does not tick any more.
	 * @param maxRuns How many runs there are in all, over all instances and restarts.
	 * @param runAtDeclaration Whether it runs at once when it is declared first, or
	 * declared with changes.
	 * @param jitter The largest delay of a tick after its planned time.
	 */
	public record Limits(@Nullable String from, @Nullable String until, @Nullable Integer maxRuns,
			@DefaultValue("false") boolean runAtDeclaration, @DefaultValue("0ms") Duration jitter) {

		private RunLimits toLimits(@Nullable ZoneId zone, String place) {
			return new RunLimits(instant(this.from, zone, "from", place), instant(this.until, zone, "until", place),
					this.maxRuns, this.runAtDeclaration, this.jitter);
		}

		private static @Nullable Instant instant(@Nullable String text, @Nullable ZoneId zone, String property,
				String place) {
			return (text != null) ? DeclarationReader.instant(text, zone, property, place) : null;
		}

	}

	/**
	 * What its messages have.
	 *
	 * @param tags Tags of the messages.
	 * @param priority The priority of the messages, 0 to 9, and 9 is the highest.
	 * @param headers The headers of the messages.
	 * @param orderingKey The ordering key of the messages.
	 * @param fairnessKey The fairness key of the messages, such as a tenant.
	 * @param handling Bounds of their handling.
	 */
	public record Attributes(@DefaultValue Set<String> tags, @Nullable Integer priority,
			@DefaultValue Map<String, String> headers, @Nullable String orderingKey, @Nullable String fairnessKey,
			@Name("") @DefaultValue Handling handling) {

		private OutboundMessage addTo(OutboundMessage message) {
			return new MessageAttributes(this.priority, this.headers, this.orderingKey, this.fairnessKey,
					this.handling.toHandling())
				.addTo(message);
		}

	}

	/**
	 * Bounds of the handling of its messages.
	 *
	 * @param maxAttempts How often each message is delivered at most, instead of the
	 * listener's number.
	 * @param timeToLive The time after its tick within which the handling of each message
	 * must begin.
	 * @param deadline The time after its tick within which each message must be handled,
	 * over all of its attempts.
	 * @param maxHandlingTime How long the handling of each message may take, instead of
	 * the listener's limit.
	 * @param deadLetterQueue The queue that a message is moved to when it dies.
	 */
	public record Handling(@Nullable Integer maxAttempts, @Nullable Duration timeToLive, @Nullable Duration deadline,
			@Nullable Duration maxHandlingTime, @Nullable String deadLetterQueue) {

		private MessageAttributes.Handling toHandling() {
			return new MessageAttributes.Handling(this.maxAttempts, this.timeToLive, this.deadline,
					this.maxHandlingTime, this.deadLetterQueue);
		}

	}

}
