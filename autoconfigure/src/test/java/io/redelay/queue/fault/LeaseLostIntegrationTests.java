package io.redelay.queue.fault;

import java.time.Duration;

import io.redelay.queue.QueueListener;
import io.redelay.queue.event.LeaseLostEvent;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An instance that stands still until its lease has run out learns what it has lost.
 */
class LeaseLostIntegrationTests extends FaultTests {

	@Test
	void anInstanceThatStoodStillIsNotifiedOnceOfTheLeaseThatItLost() {
		InstanceProcess paused = process(Holder.class, "test.instance=paused");
		ConfigurableApplicationContext sender = instance(Sender.class);
		RedissonClient redisson = redisson(sender);
		queue(sender).send(this.queue, "one");
		queue(sender).send(this.queue, "two");
		await().atMost(Duration.ofMinutes(1)).until(() -> Journal.read(redisson, this.queue, "begin").size() == 2);
		paused.pause();
		instance(Holder.class, "test.instance=other");
		await().atMost(Duration.ofMinutes(1)).until(() -> Journal.read(redisson, this.queue, "begin").size() == 4);
		paused.resume();
		await().atMost(Duration.ofMinutes(1)).until(() -> !Journal.read(redisson, this.queue, "lost").isEmpty());
		redisson.getBucket("end:" + this.queue, StringCodec.INSTANCE).set("1");
		await().atMost(Duration.ofMinutes(1)).until(() -> Journal.read(redisson, this.queue, "end").size() == 4);
		assertThat(Journal.read(redisson, this.queue, "lost")).containsExactly("lost holder 2 of 2 paused");
	}

	static class Sender {

	}

	@Import(Journal.class)
	static class Holder {

		private final Journal journal;

		private final RedissonClient redisson;

		@Value("${test.queue}")
		private String queue = "";

		Holder(Journal journal, RedissonClient redisson) {
			this.journal = journal;
			this.redisson = redisson;
		}

		@QueueListener(queues = "${test.queue}", id = "holder", concurrency = "2")
		void handle(String payload) {
			this.journal.write("begin", payload);
			await().atMost(Duration.ofMinutes(5))
				.until(() -> this.redisson.getBucket("end:" + this.queue, StringCodec.INSTANCE).isExists());
			this.journal.write("end", payload);
		}

		@EventListener
		void on(LeaseLostEvent event) {
			assertThat(event.queue()).isEqualTo(this.queue);
			this.journal.write("lost", event.listener() + " " + event.lost() + " of " + event.messages());
		}

	}

}
