package io.redelay.embedded.redis.autoconfigure;

import java.util.List;
import java.util.stream.Stream;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches when no property has the location of Redis. Never while an application is
 * prepared at build time: it would keep the answer, and start a Redis of its own wherever
 * it runs, or fail there if the packaged application is without this library. Only the
 * names of properties are checked, so that a placeholder that can't be resolved fails
 * where its value is needed.
 */
final class NoRedisLocationCondition extends SpringBootCondition {

	private static final List<ConfigurationPropertyName> LOCATIONS = Stream
		.of("host", "port", "url", "sentinel", "cluster", "masterreplica")
		.map((name) -> ConfigurationPropertyName.of("spring.data.redis." + name))
		.toList();

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionMessage.Builder message = ConditionMessage.forCondition("No Redis location");
		if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
			return ConditionOutcome.noMatch(message.because("the application is prepared at build time"));
		}
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(context.getEnvironment())) {
			for (ConfigurationPropertyName location : LOCATIONS) {
				if (isIn(source, location)) {
					return ConditionOutcome.noMatch(message.found("property").items(location));
				}
			}
		}
		return ConditionOutcome.match(message.because("none is configured"));
	}

	private static boolean isIn(ConfigurationPropertySource source, ConfigurationPropertyName location) {
		return source.getConfigurationProperty(location) != null
				|| source.containsDescendantOf(location) == ConfigurationPropertyState.PRESENT;
	}

}
