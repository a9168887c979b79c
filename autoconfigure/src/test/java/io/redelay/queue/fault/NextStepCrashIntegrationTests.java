package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.work.DeliveryInfo;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance that is killed while its handlers send next steps, beside another one that
 * goes on. A message may be handled twice then, but one acknowledgement of it counts.
 */
@Tag("full")
class NextStepCrashIntegrationTests extends FaultTests {

	/**
	 * Half of the next steps go in the step of the acknowledgement. The others have a
	 * time to live, so that they go through the outbox.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void eachMessageHasExactlyOneNextStepThroughAKill() {
		ConfigurableApplicationContext survivor = instance(Step.class, "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		List<String> payloads = IntStream.range(0, 300).mapToObj((i) -> "m" + i).toList();
		InstanceProcess victim = process(Step.class, "test.instance=victim");
		queue(survivor).sendAll(payloads.stream().map((payload) -> OutboundMessage.to(this.queue, payload)).toList());
		Awaitility.await()
			.until(() -> Journal.read(redisson, this.queue, "handled")
				.stream()
				.filter((line) -> line.endsWith(" victim"))
				.count() >= 20);
		survivor.getBean(QueueListenerEndpointRegistry.class).getContainers().forEach(QueueListenerContainer::start);
		victim.kill();
		Awaitility.await()
			.untilAsserted(() -> assertThat(Journal.payloads(redisson, this.queue, "next")).containsAll(payloads));
		assertThat(Journal.payloads(redisson, this.queue, "handled")).containsAll(payloads);
		// The uids distinguish what was sent twice from what was delivered twice.
		assertThat(Journal.payloads(redisson, this.queue, "uid").stream().distinct().count())
			.as("messages that were sent")
			.isEqualTo(payloads.size());
	}

	@Import(Journal.class)
	static class Step {

		private final Journal journal;

		private final QueueOperations queues;

		private final String queue;

		Step(Journal journal, QueueOperations queues, @Value("${test.queue}") String queue) {
			this.journal = journal;
			this.queues = queues;
			this.queue = queue;
		}

		@QueueListener(queues = "${test.queue}", concurrency = "4", prefetch = "8",
				autoStartup = "${test.listening:true}")
		void handle(String payload) throws InterruptedException {
			OutboundMessage next = OutboundMessage.to(this.queue + "-next", payload).inDelivery();
			boolean noted = Integer.parseInt(payload.substring(1)) % 2 == 0;
			this.queues.send(noted ? next.timeToLive(Duration.ofHours(1)) : next);
			TimeUnit.MILLISECONDS.sleep(10);
			this.journal.write("handled", payload);
		}

		@QueueListener(queues = "${test.queue}-next", concurrency = "4", autoStartup = "${test.listening:true}")
		void next(String payload, DeliveryInfo delivery) {
			this.journal.write("uid", delivery.uid());
			this.journal.write("next", payload);
		}

	}

}
