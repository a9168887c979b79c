package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.Set;

import io.redelay.queue.recurring.MissedTicks;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.engine.DeclarationReader;
import io.redelay.queue.recurring.engine.RecurringEngine;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A message that is sent again and again.
 *
 * @param queue The queue.
 * @param cron When it is sent: a cron expression of six fields, or a macro such as
 * &#64;daily. "-" sends nothing.
 * @param zone The zone of the cron expression. By default that of the JVM.
 * @param every How much time there is between two of them, instead of a cron expression.
 * @param payload What each brings: JSON, or else a text. By default its name and the time
 * of its tick.
 * @param missed What becomes of ticks that were missed.
 * @param maxMissed How many missed ticks run at most if all are to.
 * @param overlap What becomes of a tick while an earlier run has not ended.
 * @param maxQueued How many ticks wait at most if they queue.
 * @param lateAfter How long after it was due a tick is late.
 * @param tags By which tags they are found.
 * @since 0.1.0
 */
public record RecurringMessageProperties(@Nullable String queue, @Nullable String cron, @Nullable String zone,
		@Nullable Duration every, @Nullable String payload, @DefaultValue("once") MissedTicks missed,
		@DefaultValue("10") int maxMissed, @DefaultValue("skip") OverlappingRuns overlap,
		@DefaultValue("100") int maxQueued, @DefaultValue("1m") Duration lateAfter, @DefaultValue Set<String> tags) {

	private static final String NOTHING = "-";

	void declare(String name, RecurringEngine engine) {
		if (!NOTHING.equals(this.cron)) {
			String place = "The recurring message of the property 'redelay.queue.recurring." + name + "'";
			engine.declare(toDeclaration(name, place), place);
		}
	}

	private RecurringDeclaration toDeclaration(String name, String place) {
		return new RecurringDeclaration((this.queue != null) ? this.queue : "", name, this.cron,
				(this.zone != null) ? DeclarationReader.zone(this.zone, place) : null, this.every, read(this.payload),
				this.missed, this.maxMissed, this.overlap, this.maxQueued, this.lateAfter, this.tags);
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

}
