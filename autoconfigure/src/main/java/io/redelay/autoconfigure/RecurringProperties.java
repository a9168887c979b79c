package io.redelay.autoconfigure;

import java.util.Map;

import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.engine.DeclarationReader;
import io.redelay.queue.recurring.engine.RecurringEngine;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Declares the recurring messages of the application's properties.
 */
final class RecurringProperties {

	private static final String NOTHING = "-";

	private RecurringProperties() {
	}

	static void declare(Map<String, RedelayQueueProperties.Recurring> properties, RecurringEngine engine) {
		properties.forEach((name, each) -> {
			if (!NOTHING.equals(each.cron())) {
				String place = "The recurring message of the property 'redelay.queue.recurring." + name + "'";
				engine.declare(declaration(name, each, place), place);
			}
		});
	}

	private static RecurringDeclaration declaration(String name, RedelayQueueProperties.Recurring each, String place) {
		String zone = each.zone();
		String queue = each.queue();
		return new RecurringDeclaration((queue != null) ? queue : "", name, each.cron(),
				(zone != null) ? DeclarationReader.zone(zone, place) : null, each.every(), payload(each.payload()),
				each.missed(), each.maxMissed(), each.overlap(), each.maxQueued(), each.lateAfter());
	}

	private static @Nullable Object payload(@Nullable String text) {
		if (text == null) {
			return null;
		}
		try {
			JsonNode json = JsonMapper.shared().readTree(text);
			return (json.isObject() || json.isArray()) ? json : text;
		}
		catch (JacksonException ex) {
			return text;
		}
	}

}
