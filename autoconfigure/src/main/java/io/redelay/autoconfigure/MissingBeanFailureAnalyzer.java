package io.redelay.autoconfigure;

import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport.ConditionAndOutcomes;
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
		Part part = (type != null) ? Part.of(type.toClass()) : null;
		if (part == null || cause.getNumberOfBeansFound() != 0 || this.beans == null || this.environment == null) {
			return null;
		}
		String needs = ((description != null) ? description : "A bean") + " needs a " + type.toClass().getName()
				+ ", and there is none: ";
		String instead = " In a test that needs none, put a @MockitoBean in its place.";
		if (!this.environment.getProperty(part.property, Boolean.class, true)) {
			return new FailureAnalysis(needs + "'" + part.property + "' is false, which switches the " + part.what + " off.",
					"Set '" + part.property + "' to true, or inject an ObjectProvider where there may be none." + instead,
					cause);
		}
		ConditionEvaluationReport report = ConditionEvaluationReport.get(this.beans);
		if (report.getExclusions().contains(part.configuration)) {
			return new FailureAnalysis(needs + part.configuration + " is excluded.",
					"Remove it from 'spring.autoconfigure.exclude' and from the exclusions of @SpringBootApplication."
							+ instead,
					cause);
		}
		ConditionAndOutcomes outcomes = report.getConditionAndOutcomesBySource().get(part.configuration);
		if (outcomes == null) {
			return new FailureAnalysis(needs + part.configuration + " is not among the auto-configurations of this"
					+ " application, as in a test of a slice.",
					"Add @ImportAutoConfiguration(" + part.simpleName() + ".class), or @EnableAutoConfiguration."
							+ instead,
					cause);
		}
		return outcomes.isFullMatch() ? null
				: new FailureAnalysis(
						needs + "there is no RedissonClient to make it of, for '" + part.configuration
								+ "' says: " + refusal(outcomes) + ".",
						"Let Redelay make one from 'spring.data.redis', without excluding DataRedisAutoConfiguration and"
								+ " RedissonAutoConfiguration; or define a RedissonClient." + instead,
						cause);
	}

	private static String refusal(ConditionAndOutcomes outcomes) {
		return outcomes.stream()
			.filter((outcome) -> !outcome.getOutcome().isMatch())
			.map((outcome) -> outcome.getOutcome().getMessage())
			.findFirst()
			.orElse("nothing");
	}

	/**
	 * What can be missing as a whole.
	 */
	private enum Part {

		QUEUES("io.redelay.queue.", "redelay.queue.enabled", QueueAutoConfiguration.class.getName(), "queues"),

		LOCKS("io.redelay.lock.", RedelayLockProperties.ENABLED, LockAutoConfiguration.class.getName(), "locks");

		private final String types;

		private final String property;

		private final String configuration;

		private final String what;

		Part(String types, String property, String configuration, String what) {
			this.types = types;
			this.property = property;
			this.configuration = configuration;
			this.what = what;
		}

		static @Nullable Part of(Class<?> type) {
			return Stream.of(values()).filter((part) -> type.getName().startsWith(part.types)).findFirst().orElse(null);
		}

		String simpleName() {
			return this.configuration.substring(this.configuration.lastIndexOf('.') + 1);
		}

	}

}
