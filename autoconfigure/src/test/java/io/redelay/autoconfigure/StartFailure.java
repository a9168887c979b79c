package io.redelay.autoconfigure;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.redelay.redisson.RedissonConfigCustomizer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts applications that can't start, and analyzes why.
 */
final class StartFailure {

	private StartFailure() {
	}

	static FailureAnalysis analyze(String... properties) {
		return analyze(List.of(), properties);
	}

	static FailureAnalysis analyze(List<RedissonConfigCustomizer> customizers, String... properties) {
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
					RedissonAutoConfiguration.class))
			.withBean(SingleAttempt.class)
			// On a busy machine less would do as little as none.
			.withPropertyValues("spring.data.redis.timeout=30s", "spring.data.redis.connect-timeout=30s")
			.withPropertyValues(properties);
		for (RedissonConfigCustomizer customizer : customizers) {
			runner = runner.withBean(RedissonConfigCustomizer.class, () -> customizer);
		}
		AtomicReference<FailureAnalysis> analysis = new AtomicReference<>();
		runner.run((context) -> {
			assertThat(context).hasFailed();
			analysis.set(new RedisUnavailableFailureAnalyzer().analyze(context.getStartupFailure()));
		});
		assertThat(analysis).doesNotHaveNullValue();
		return analysis.get();
	}

}
