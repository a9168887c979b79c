package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.AckMode;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance that dies while it handles messages that it acknowledged before, beside
 * another one that goes on.
 */
class AtMostOnceCrashIntegrationTests extends FaultTests {

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void noMessageIsHandledTwiceAndWhatWasNotBegunIsNotLost() {
		ConfigurableApplicationContext survivor = instance(Listener.class, "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		List<String> payloads = IntStream.range(0, 200).mapToObj((i) -> "m" + i).toList();
		queue(survivor).sendAll(payloads.stream().map((payload) -> OutboundMessage.to(this.queue, payload)).toList());
		InstanceProcess victim = process(Listener.class, "test.instance=victim", "test.handling=50ms");
		Awaitility.await().until(() -> Journal.payloads(redisson, this.queue, "done").size() >= 8);
		survivor.getBean(QueueListenerEndpointRegistry.class).getContainers().forEach(QueueListenerContainer::start);
		victim.kill();
		// Of what the victim had taken, a handler's message each is lost at most.
		Awaitility.await()
			.untilAsserted(() -> assertThat(Journal.payloads(redisson, this.queue, "begin"))
				.hasSizeGreaterThanOrEqualTo(payloads.size() - Listener.CONCURRENCY));
		QueueAdmin admin = survivor.getBean(QueueAdmin.class);
		Awaitility.await()
			.untilAsserted(() -> assertThat(admin.queues().info(this.queue)).returns(0L, QueueInfo::ready)
				.returns(0L, QueueInfo::inFlight)
				.returns(0L, QueueInfo::dead));
		List<String> begun = Journal.payloads(redisson, this.queue, "begin");
		assertThat(begun).doesNotHaveDuplicates();
		assertThat(Journal.read(redisson, this.queue, "begin")).anyMatch((line) -> line.endsWith(" victim"))
			.anyMatch((line) -> line.endsWith(" here"));
	}

	@Import(Journal.class)
	static class Listener {

		static final int CONCURRENCY = 4;

		private final Journal journal;

		private final long handlingMillis;

		Listener(Journal journal, @Value("${test.handling:0ms}") Duration handling) {
			this.journal = journal;
			this.handlingMillis = handling.toMillis();
		}

		@QueueListener(queues = "${test.queue}", concurrency = "4", leaseTime = "1s", ackMode = AckMode.BEFORE_HANDLING,
				autoStartup = "${test.listening:true}")
		void handle(String payload) throws InterruptedException {
			this.journal.write("begin", payload);
			TimeUnit.MILLISECONDS.sleep(this.handlingMillis);
			this.journal.write("done", payload);
		}

	}

}
