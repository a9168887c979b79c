package io.redelay.queue.fault;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.work.CancellationToken;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance that dies, or is paused past its lease, while its handler works on a
 * message that is cancelled, or that another instance takes.
 */
@Tag("full")
class CancellationFaultIntegrationTests extends FaultTests {

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatWasCancelledInTheHandsOfAnInstanceThatDiesIsGone() {
		ConfigurableApplicationContext survivor = instance(DeafListener.class, "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		queue(survivor).send(OutboundMessage.to(this.queue, "x").id("x"));
		InstanceProcess victim = process(DeafListener.class, "test.instance=victim");
		awaitJournal(redisson, "begin x victim");
		assertThat(survivor.getBean(QueueAdmin.class).messages().cancel(this.queue, "x").done()).isTrue();
		awaitJournal(redisson, "CANCELLED x victim");
		victim.kill();
		start(survivor);
		awaitJournal(redisson, "told-CANCELLED x here");
		queue(survivor).send(OutboundMessage.to(this.queue, "y").id("y"));
		awaitJournal(redisson, "begin y here");
		assertThat(Journal.read(redisson, this.queue)).doesNotContain("begin x here");
		assertThat(survivor.getBean(QueueAdmin.class).messages().find(this.queue, "x")).isEmpty();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLanePausedPastItsLeaseIsNotifiedThatItHasLostItsMessage() {
		ConfigurableApplicationContext other = instance(DeafListener.class, "test.listening=false");
		RedissonClient redisson = redisson(other);
		queue(other).send(OutboundMessage.to(this.queue, "x").id("x"));
		InstanceProcess paused = process(DeafListener.class, "test.instance=paused");
		awaitJournal(redisson, "begin x paused");
		paused.pause();
		start(other);
		awaitJournal(redisson, "begin x here");
		paused.resume();
		awaitJournal(redisson, "LEASE_LOST x paused");
		assertThat(Journal.read(redisson, this.queue)).doesNotContain("LEASE_LOST x here");
	}

	private void awaitJournal(RedissonClient redisson, String line) {
		Awaitility.await().until(() -> Journal.read(redisson, this.queue), (lines) -> lines.contains(line));
	}

	private static void start(ConfigurableApplicationContext instance) {
		instance.getBean(QueueListenerEndpointRegistry.class).getContainers().forEach(QueueListenerContainer::start);
	}

	/**
	 * Is notified that its work is to end, and goes on.
	 */
	@Import(Journal.class)
	static class DeafListener {

		private final Journal journal;

		DeafListener(Journal journal) {
			this.journal = journal;
		}

		@QueueListener(queues = "${test.queue}", autoStartup = "${test.listening:true}")
		void handle(String payload, CancellationToken token) throws InterruptedException {
			this.journal.write("begin", payload);
			token.onCancel((reason) -> this.journal.write(reason.name(), payload));
			if (payload.equals("x")) {
				new CountDownLatch(1).await(2, TimeUnit.MINUTES);
			}
		}

		@EventListener
		void on(MessageEvent event) {
			if (event.type() == MessageEvent.Type.CANCELLED) {
				// The survivor knows no more than the uid.
				this.journal.write("told-CANCELLED", "x");
			}
		}

	}

}
