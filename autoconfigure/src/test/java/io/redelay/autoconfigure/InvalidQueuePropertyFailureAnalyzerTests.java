package io.redelay.autoconfigure;

import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.test.AbsentRecurringStore;
import io.redelay.test.IdleStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link InvalidQueuePropertyFailureAnalyzer}.
 */
class InvalidQueuePropertyFailureAnalyzerTests {

	private static final String ORDERS = "redelay.queue.queues.orders.";

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					ordering-key=#{paylod.id} | "'#{paylod.id}', cannot work: in #{paylod.id} 'paylod' is none of" | #{payload.name}
					ordering-key=#{payload.id | "cannot be read" | Write a template like #{payload.customerId}
					ordering-key=${no.such} | "a placeholder for a property that is not set" | Set the property
					fairness-key=#{@nobody.id()} | "there is no bean 'nobody'" | Define the bean
					fairness-weight=0 | "must be a whole number from 1 to 100, and is '0'" | Write such a number
					priority=#{x} | "'x' is none of" | #{payload.name}
					deduplication.mode=debounce | "deduplication.key' is missing" | Write a template like #{payload.orderId}
					deduplication.key=#{payload.id} | "deduplication.window' is missing, which the mode first-wins needs" | Write a value
					""")
	void namesThePropertyAndTheMend(String property, String problem, String mend) {
		FailureAnalysis analysis = analyze(ORDERS + property);
		assertThat(analysis.getDescription()).startsWith("'redelay.queue.queues.orders.")
			.contains(problem)
			.doesNotContain(mend);
		assertThat(analysis.getAction()).contains(mend);
	}

	@Test
	void namesWhatADeduplicationLacks() {
		FailureAnalysis analysis = analyze(ORDERS + "deduplication.mode=first-wins",
				ORDERS + "deduplication.key=#{payload.id}");
		assertThat(analysis.getDescription())
			.isEqualTo("'" + ORDERS + "deduplication.window' is missing, which the mode first-wins needs.");
		assertThat(analysis.getAction()).isEqualTo("Write a value, such as 10m.");
	}

	@Test
	void namesTheTemplateOfADeduplication() {
		FailureAnalysis analysis = analyze(ORDERS + "deduplication.mode=first-wins",
				ORDERS + "deduplication.window=10s", ORDERS + "deduplication.key=#{orderId}");
		assertThat(analysis.getDescription()).startsWith("'" + ORDERS + "deduplication.key', '#{orderId}', cannot work")
			.contains("'orderId' is none of");
		assertThat(analysis.getAction()).contains("#{payload.name}");
	}

	@Test
	void isFoundBySpringBoot() {
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, (type, name, failure) -> {
			})).hasAtLeastOneElementOfType(InvalidQueuePropertyFailureAnalyzer.class);
	}

	private static FailureAnalysis analyze(String... properties) {
		FailureAnalysis[] analysis = new FailureAnalysis[1];
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class))
			.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
			.withBean(QueueScripts.class, () -> new IdleStore().scripts())
			.withBean(RecurringStore.class, AbsentRecurringStore::new)
			.withBean(AdminScripts.class, IdleStore::admin)
			.withPropertyValues(properties)
			.run((context) -> {
				assertThat(context).hasFailed();
				analysis[0] = new InvalidQueuePropertyFailureAnalyzer().analyze(context.getStartupFailure());
			});
		assertThat(analysis[0]).isNotNull();
		return analysis[0];
	}

}
