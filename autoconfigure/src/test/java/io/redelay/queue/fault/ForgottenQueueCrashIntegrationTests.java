package io.redelay.queue.fault;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.event.QueueEvent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.api.RSet;
import org.redisson.api.RedissonClient;
import org.redisson.api.options.KeysScanOptions;
import org.redisson.client.codec.StringCodec;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Instances that are killed while they look for queues that have nothing.
 */
@Tag("full")
class ForgottenQueueCrashIntegrationTests extends FaultTests {

	private static final String[] FORGETS = { "redelay.queue.forget-after=1s", "redelay.queue.stats.enabled=false" };

	@Test
	void anotherInstanceGoesOnForOneThatIsKilled() {
		InstanceProcess first = process(Recorder.class, FORGETS);
		ConfigurableApplicationContext sender = instance(Sender.class);
		await().atMost(Duration.ofMinutes(1)).until(() -> turn(sender) != null);
		String killed = turn(sender);
		ConfigurableApplicationContext other = instance(Recorder.class, FORGETS);
		queue(sender).send(this.queue, "x");
		sender.getBean(QueueAdmin.class).control().purge(this.queue, MessageState.READY);
		first.kill();
		await().atMost(Duration.ofMinutes(1)).until(() -> !names(sender, "queues").contains(this.queue));
		assertThat(turn(sender)).isNotEqualTo(killed);
		await().untilAsserted(() -> assertThat(other.getBean(Recorder.class).forgotten).containsExactly(this.queue));
		queue(sender).send(this.queue, "y");
		assertThat(names(sender, "queues")).contains(this.queue);
	}

	@Test
	void whatAKilledInstanceHadBegunIsEndedByTheNext() {
		ConfigurableApplicationContext sender = instance(Sender.class, "redelay.queue.replay.duration=0");
		String empty = this.queue + "-empty";
		for (String each : List.of(this.queue, empty)) {
			queue(sender).send(each, "x");
			// As one leaves it that dies with the name taken off, and nothing looked at.
			names(sender, "forgetting").add(each + " dead");
			names(sender, "queues").remove(each);
		}
		// So it has nothing, and its sender does not take that for a Redis that went
		// back.
		redisson(sender).getKeys().deleteByPattern("redelay:{" + empty + "}:*");
		ConfigurableApplicationContext next = instance(Recorder.class, FORGETS);
		await().atMost(Duration.ofMinutes(1)).until(() -> names(sender, "forgetting").isEmpty());
		assertThat(names(sender, "queues")).contains(this.queue).doesNotContain(empty);
		await().untilAsserted(() -> assertThat(next.getBean(Recorder.class).forgotten).containsExactly(empty));
		assertThat(next.getBean(QueueAdmin.class).queues().info(this.queue).ready()).isOne();
	}

	private static String turn(ConfigurableApplicationContext context) {
		RedissonClient redisson = redisson(context);
		Iterator<String> keys = redisson.getKeys()
			.getKeys(KeysScanOptions.defaults().pattern("redelay:turn:forget:*"))
			.iterator();
		return keys.hasNext() ? redisson.<String>getBucket(keys.next(), StringCodec.INSTANCE).get() : null;
	}

	private static Set<String> names(ConfigurableApplicationContext context, String registry) {
		RSet<String> names = redisson(context).getSet("redelay:" + registry, StringCodec.INSTANCE);
		return names;
	}

	static class Sender {

	}

	static class Recorder {

		final List<String> forgotten = new CopyOnWriteArrayList<>();

		@EventListener
		void on(QueueEvent event) {
			if (event.type() == QueueEvent.Type.FORGOTTEN) {
				this.forgotten.add(event.queue());
			}
		}

	}

}
