package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.QueueListener;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
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

	private static final List<String> VERDICTS = List.of("nack", "reject", "fail");

	@Test
	void anInstancePausedPastItsLeaseHasNoSayInWhatAnotherTook() {
		InstanceProcess paused = process(HoldingListener.class, "test.instance=paused");
		ConfigurableApplicationContext other = instance(HoldingListener.class, "test.listening=false");
		RedissonClient redisson = redisson(other);
		VERDICTS.forEach((verdict) -> queue(other).send(this.queue + "-" + verdict, verdict));
		Awaitility.await().until(() -> Journal.read(redisson, this.queue, "begin").size() == VERDICTS.size());
		paused.pause();
		other.getBean(QueueListenerEndpointRegistry.class).getContainers().forEach(QueueListenerContainer::start);
		Awaitility.await().until(() -> Journal.read(redisson, this.queue, "begin").size() == 2 * VERDICTS.size());
		paused.resume();
		redisson.getBucket("say:" + this.queue, StringCodec.INSTANCE).set("paused");
		Awaitility.await().until(() -> Journal.read(redisson, this.queue, "said").size() == VERDICTS.size());
		// The paused one has had its say, which it sends at once; the other one still
		// holds the messages.
		Awaitility.await()
			.during(Duration.ofSeconds(2))
			.until(() -> Journal.read(redisson, this.queue, "begin").size() == 2 * VERDICTS.size() && VERDICTS.stream()
				.allMatch((verdict) -> dead(redisson, verdict) == 0 && held(redisson, verdict) == 1));
		redisson.getBucket("say:" + this.queue, StringCodec.INSTANCE).set("here");
		Awaitility.await()
			.until(() -> VERDICTS.stream().allMatch((verdict) -> redisson.getMap(key(verdict, "messages")).isEmpty()));
		assertThat(Journal.read(redisson, this.queue, "begin")).containsExactlyInAnyOrder("begin nack paused",
				"begin reject paused", "begin fail paused", "begin nack here", "begin reject here", "begin fail here");
		assertThat(VERDICTS).allMatch((verdict) -> dead(redisson, verdict) == 0);
	}

	private int dead(RedissonClient redisson, String verdict) {
		return redisson.getScoredSortedSet(key(verdict, "dead")).size();
	}

	private long held(RedissonClient redisson, String verdict) {
		return redisson.getMap(key(verdict, "held"), StringCodec.INSTANCE)
			.readAllKeySet()
			.stream()
			.filter((field) -> !field.toString().startsWith("@"))
			.count();
	}

	private String key(String verdict, String name) {
		return "redelay:{" + this.queue + "-" + verdict + "}:" + name;
	}

	/**
	 * Holds its messages until the test says whose turn it is to say something of them.
	 * The payload is what the paused instance says.
	 */
	@Import(Journal.class)
	static class HoldingListener {

		private final Journal journal;

		private final RedissonClient redisson;

		@Value("${test.queue}")
		private String queue = "";

		@Value("${test.instance:here}")
		private String instance = "";

		HoldingListener(Journal journal, RedissonClient redisson) {
			this.journal = journal;
			this.redisson = redisson;
		}

		@QueueListener(queues = { "${test.queue}-nack", "${test.queue}-reject", "${test.queue}-fail" },
				concurrency = "3", ackMode = AckMode.MANUAL, autoStartup = "${test.listening:true}")
		void handle(String verdict, Acknowledgment acknowledgment) {
			this.journal.write("begin", verdict);
			Awaitility.await()
				.atMost(Duration.ofMinutes(5))
				.until(() -> this.instance
					.equals(this.redisson.getBucket("say:" + this.queue, StringCodec.INSTANCE).get()));
			try {
				switch (this.instance.equals("paused") ? verdict : "acknowledge") {
					case "nack" -> acknowledgment.nack(Duration.ZERO);
					case "reject" -> acknowledgment.reject("no");
					case "fail" -> throw new IllegalStateException("no");
					default -> acknowledgment.acknowledge();
				}
			}
			finally {
				this.journal.write("said", verdict);
			}
		}

	}

}
