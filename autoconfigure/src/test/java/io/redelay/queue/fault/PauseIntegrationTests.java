package io.redelay.queue.fault;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.QueueListener;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.listener.QueueListenerContainer;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance that is stopped in its tracks until its lease has run out, and then goes on
 * as if nothing had been.
 */
class PauseIntegrationTests extends FaultTests {

	@ParameterizedTest
	@ValueSource(strings = { "nack", "reject", "fail" })
	void anInstancePausedPastItsLeaseHasNoSayInWhatAnotherTook(String verdict) {
		Duration lease = LEASE.multipliedBy(3);
		ConfigurableApplicationContext other = instance(HoldingListener.class, "test.listening=false",
				"redelay.queue.listener.lease-time=" + lease.toMillis() + "ms");
		RedissonClient redisson = redisson(other);
		queue(other).send(this.queue, "job");
		InstanceProcess paused = process(HoldingListener.class, "test.instance=paused", "test.verdict=" + verdict);
		Awaitility.await()
			.atMost(60, TimeUnit.SECONDS)
			.until(() -> Journal.read(redisson, this.queue, "begin").size() == 1);
		paused.pause();
		other.getBean(QueueListenerEndpointRegistry.class).getContainers().forEach(QueueListenerContainer::start);
		Awaitility.await()
			.atMost(60, TimeUnit.SECONDS)
			.until(() -> Journal.read(redisson, this.queue, "begin").size() == 2);
		paused.resume();
		redisson.getBucket("say:" + this.queue, StringCodec.INSTANCE).set("paused");
		Awaitility.await()
			.atMost(60, TimeUnit.SECONDS)
			.until(() -> Journal.read(redisson, this.queue, "said").size() == 1);
		// The paused one has had its say; the other one still holds the message, through
		// more than one lease.
		Awaitility.await()
			.during(lease.plus(Duration.ofSeconds(1)))
			.atMost(60, TimeUnit.SECONDS)
			.until(() -> Journal.read(redisson, this.queue, "begin").size() == 2 && dead(redisson) == 0
					&& held(redisson) == 1);
		redisson.getBucket("say:" + this.queue, StringCodec.INSTANCE).set("here");
		Awaitility.await()
			.atMost(60, TimeUnit.SECONDS)
			.until(() -> redisson.getMap("redelay:{" + this.queue + "}:messages").isEmpty());
		assertThat(Journal.read(redisson, this.queue, "begin")).containsExactly("begin job paused", "begin job here");
		assertThat(dead(redisson)).isZero();
	}

	private int dead(RedissonClient redisson) {
		return redisson.getScoredSortedSet("redelay:{" + this.queue + "}:dead").size();
	}

	private long held(RedissonClient redisson) {
		return redisson.getMap("redelay:{" + this.queue + "}:held", StringCodec.INSTANCE)
			.readAllKeySet()
			.stream()
			.filter((field) -> !field.toString().startsWith("@"))
			.count();
	}

	/**
	 * Holds its message until the test says whose turn it is to say something of it.
	 */
	@Import(Journal.class)
	static class HoldingListener {

		private final Journal journal;

		private final RedissonClient redisson;

		@Value("${test.queue}")
		private String queue = "";

		@Value("${test.instance:here}")
		private String instance = "";

		@Value("${test.verdict:acknowledge}")
		private String verdict = "";

		HoldingListener(Journal journal, RedissonClient redisson) {
			this.journal = journal;
			this.redisson = redisson;
		}

		@QueueListener(queues = "${test.queue}", ackMode = AckMode.MANUAL, autoStartup = "${test.listening:true}")
		void handle(String payload, Acknowledgment acknowledgment) {
			this.journal.write("begin", payload);
			Awaitility.await()
				.atMost(2, TimeUnit.MINUTES)
				.until(() -> this.instance
					.equals(this.redisson.getBucket("say:" + this.queue, StringCodec.INSTANCE).get()));
			try {
				switch (this.verdict) {
					case "nack" -> acknowledgment.nack(Duration.ZERO);
					case "reject" -> acknowledgment.reject("no");
					case "fail" -> throw new IllegalStateException("no");
					default -> acknowledgment.acknowledge();
				}
			}
			finally {
				this.journal.write("said", payload);
			}
		}

	}

}
