package io.redelay.queue.send;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.ReactiveQueueOperations;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.test.AbsentRecurringStore;
import io.redelay.test.IdleStore;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.NestedExceptionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

/**
 * Tests of what a message is sent with whose sender leaves it out: the delay of its
 * queue, and the default queue.
 */
class QueueDefaultsIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String delayed = TestRedis.queue();

	private static ListenerApplication application;

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis)
			.bean(new Subscriber())
			.with("topic", delayed)
			.with("redelay.queue.send.default-queue", delayed)
			.with("redelay.queue.queues." + delayed + ".delay", "1h")
			.start();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void aSendWithoutATimeIsDueAfterTheDelayOfItsQueue() {
		isDueIn(HOUR, queues().send(delayed, "x"));
		isDueIn(HOUR, queues().sendAsync(delayed, "x").join());
		isDueIn(HOUR, queues().sendAll(List.of(OutboundMessage.to(delayed, "x"))).get(0));
	}

	@Test
	void aTimeOfTheSenderGoesBeforeTheDelayOfTheQueue() {
		isDueIn(Duration.ZERO, queues().send(delayed, "x", Duration.ZERO));
		isDueIn(HOUR.multipliedBy(2), queues().send(delayed, "x", HOUR.multipliedBy(2)));
		isDueIn(Duration.ZERO, queues().sendAt(delayed, "x", Instant.EPOCH.plusSeconds(1)));
		isDueIn(HOUR.multipliedBy(3), queues().send(OutboundMessage.to(delayed, "x")
			.deduplicate(Deduplication.debounce("key", HOUR.multipliedBy(3), HOUR.multipliedBy(9)))));
	}

	@Test
	void anotherQueueHasNoDelay() {
		isDueIn(Duration.ZERO, queues().send(TestRedis.queue(), "x"));
	}

	@Test
	void whatIsPublishedToATopicOfTheSameNameIsNotDelayed() {
		Map<String, SendResult> groups = queues().publish(delayed, "x").groups();
		assertThat(groups).containsOnlyKeys("group");
		isDueIn(Duration.ZERO, groups.get("group"));
	}

	@Test
	void aSendThatNamesNoQueueGoesToTheDefaultQueue() {
		assertThat(queues().send("x").queue()).isEqualTo(delayed);
		assertThat(queues().sendAsync(7).join().queue()).isEqualTo(delayed);
		assertThat(application.bean(ReactiveQueueOperations.class).send("x").block().queue()).isEqualTo(delayed);
		assertThat(application.bean(QueueAdmin.class).queues().info(delayed).scheduled()).isGreaterThanOrEqualTo(3);
	}

	@Test
	void aPayloadThatCannotBeConvertedFailsTheFutureAndIsNotSent() {
		Object itself = new Object[1];
		((Object[]) itself)[0] = itself;
		long before = application.bean(QueueAdmin.class).queues().info(delayed).scheduled();
		assertThat(queues().sendAsync(itself)).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(MessageSendException.class)
			.withMessageContaining(delayed);
		assertThat(queues().sendAsync(delayed, itself)).failsWithin(Duration.ofMinutes(1));
		assertThatExceptionOfType(MessageSendException.class)
			.isThrownBy(() -> application.bean(ReactiveQueueOperations.class).send(itself).block());
		assertThat(application.bean(QueueAdmin.class).queues().info(delayed).scheduled()).isEqualTo(before);
	}

	@Test
	void aMessageKeepsItsQueueWhateverItsTypeIsForTheCompiler() {
		String other = TestRedis.queue();
		Object message = OutboundMessage.to(other, "x");
		assertThat(queues().send(message).queue()).isEqualTo(other);
	}

	@Test
	void withoutADefaultQueueASendThatNamesNoneIsRefused() {
		try (ListenerApplication without = ListenerApplication.on(redis).start()) {
			assertThatIllegalStateException().isThrownBy(() -> without.queues().send("x"))
				.withMessageContaining("set 'redelay.queue.send.default-queue', or name the queue");
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			redelay.queue.send.default-queue=a queue | 'redelay.queue.send.default-queue' must begin with
			redelay.queue.send.default-queue=orders@billing | 'redelay.queue.send.default-queue' must begin with
			redelay.queue.queues.orders.delay=-1s | 'redelay.queue.queues.<name>.delay' must be 0 to 3650d
			redelay.queue.queues.orders.delay=3651d | 'redelay.queue.queues.<name>.delay' must be 0 to 3650d
			redelay.queue.queues[orders@billing].delay=1s | 'redelay.queue.queues[orders@billing].delay' must not be set
			""")
	void aDefaultThatCannotWorkIsRefused(String property, String problem) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class))
			.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
			.withBean(QueueScripts.class, () -> new IdleStore().scripts())
			.withBean(RecurringStore.class, AbsentRecurringStore::new)
			.withBean(AdminScripts.class, IdleStore::admin)
			.withPropertyValues(property)
			.run((context) -> assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
				.hasMessageContaining(problem));
	}

	private static QueueOperations queues() {
		return application.queues();
	}

	private static void isDueIn(Duration delay, SendResult result) {
		Instant now = QueueState.now(redis);
		assertThat(result.due()).isBetween(now.plus(delay).minus(Duration.ofMinutes(10)),
				now.plus(delay).plusSeconds(1));
	}

	static class Subscriber {

		@QueueListener(topic = "${topic}", group = "group")
		void handle(String text) {
			assertThat(text).isEqualTo("x");
		}

	}

}
