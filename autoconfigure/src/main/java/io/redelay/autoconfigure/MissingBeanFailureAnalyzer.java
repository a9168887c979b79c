package io.redelay.autoconfigure;

import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Reports why there are no queues or no locks if a bean wants to be injected with them.
 * Spring Boot's own analyzer, which comes behind this one, does not look into what an
 * auto-configuration imports.
 */
@Order(-1)
class MissingBeanFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

	private final @Nullable ConfigurableListableBeanFactory beans;

	private final @Nullable Environment environment;

	MissingBeanFailureAnalyzer(@Nullable BeanFactory beans, @Nullable Environment environment) {
		this.beans = (beans instanceof ConfigurableListableBeanFactory listable) ? listable : null;
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause,
			@Nullable String description) {
		ResolvableType type = cause.getResolvableType();
		if (type == null || cause.getNumberOfBeansFound() != 0 || this.beans == null || this.environment == null) {
			return null;
		}
		Part part = Part.of(type.toClass());
		if (part == null) {
			return null;
		}
		String needs = ((description != null) ? description : "A bean") + " needs an " + type.toClass().getName()
				+ ", and there is none: ";
		String instead = " In a test that needs none, put a @MockitoBean in its place.";
		if (!this.environment.getProperty(part.property, Boolean.class, true)) {
			return new FailureAnalysis(
					needs + "'" + part.property + "' is false, which switches the " + part.what + " off.",
					"Set '" + part.property + "' to true, or inject an ObjectProvider where there may be none."
							+ instead,
					cause);
		}
		// Definitions are what is left of a context that has failed.
		if (this.beans.containsBeanDefinition(part.configuration.getName())) {
			return null;
		}
		boolean client = this.beans.getBeanNamesForType(RedissonClient.class, true, false).length > 0;
		return new FailureAnalysis(
				needs + part.configuration.getName()
						+ " takes no part in this application. It is excluded, or this is the"
						+ " test of a slice, such as @WebMvcTest"
						+ (client ? "."
								: ", or there is no RedissonClient, as RedissonAutoConfiguration or"
										+ " DataRedisAutoConfiguration is excluded."),
				"Remove them from 'spring.autoconfigure.exclude' and @SpringBootApplication, or import them with"
						+ " @ImportAutoConfiguration." + instead,
				cause);
	}

	/**
	 * What can be missing as a whole.
	 */
	private enum Part {

		QUEUES("io.redelay.queue.", "redelay.queue.enabled", QueueAutoConfiguration.class, "queues"),

		LOCKS("io.redelay.lock.", RedelayLockProperties.ENABLED, LockAutoConfiguration.class, "locks");

		private final String types;

		private final String property;

		private final Class<?> configuration;

		private final String what;

		Part(String types, String property, Class<?> configuration, String what) {
			this.types = types;
			this.property = property;
			this.configuration = configuration;
			this.what = what;
		}

		static @Nullable Part of(Class<?> type) {
			return Stream.of(values()).filter((part) -> type.getName().startsWith(part.types)).findFirst().orElse(null);
		}

	}

}
