package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.TroubleEvent;
import io.redelay.queue.admin.TroubleListener;
import io.redelay.test.FreshLooks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RList;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Instances that are killed or suspended while they watch queues for trouble.
 */
class TroubleCrashIntegrationTests extends FaultTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theNextInstanceEndsWhatAKilledOneHasBegun() {
		InstanceProcess victim = process(Recorder.class, properties("victim"));
		ConfigurableApplicationContext sender = instance(Sender.class);
		begin(sender);
		awaitEvents(sender, "victim BEGAN");
		// Until the report is recorded.
		await().atMost(LONG).until(() -> kept(sender).contains(" reported"));
		victim.kill();
		String killed = owner(sender);
		instance(Recorder.class, properties("next"));
		await().atMost(LONG).until(() -> !owner(sender).equals(killed));
		end(sender);
		awaitEvents(sender, "victim BEGAN", "next ENDED");
		// The event comes before the record goes.
		await().atMost(LONG).until(() -> kept(sender).isEmpty());
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void theNextInstanceRepeatsWhatAKilledOneWasReporting() {
		InstanceProcess victim = process(Recorder.class, properties("victim", "test.blocks=true"));
		ConfigurableApplicationContext sender = instance(Sender.class);
		begin(sender);
		awaitEvents(sender, "victim BEGAN");
		victim.kill();
		instance(Recorder.class, properties("next"));
		awaitEvents(sender, "victim BEGAN", "next BEGAN");
		assertThat(list(sender, "times").readAll()).hasSize(2).containsOnly(list(sender, "times").get(0));
		end(sender);
		awaitEvents(sender, "victim BEGAN", "next BEGAN", "next ENDED");
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void aSuspendedInstanceReportsNothingWhenItGoesOn() {
		InstanceProcess suspended = process(Recorder.class, properties("suspended"));
		ConfigurableApplicationContext sender = instance(Sender.class);
		await().atMost(LONG).until(() -> !owner(sender).isEmpty());
		suspended.pause();
		instance(Recorder.class, properties("next"));
		begin(sender);
		awaitEvents(sender, "next BEGAN");
		suspended.resume();
		// It asks for the turn meanwhile.
		await().during(Duration.ofSeconds(5)).atMost(LONG).until(() -> events(sender).readAll().size() == 1);
		end(sender);
		awaitEvents(sender, "next BEGAN", "next ENDED");
	}

	private void begin(ConfigurableApplicationContext sender) {
		queue(sender).send(this.queue, "x");
	}

	private void end(ConfigurableApplicationContext sender) {
		sender.getBean(QueueAdmin.class).control().purge(this.queue, MessageState.READY);
	}

	private static void awaitEvents(ConfigurableApplicationContext sender, String... expected) {
		await().atMost(LONG).untilAsserted(() -> assertThat(events(sender).readAll()).containsExactly(expected));
	}

	private static RList<String> events(ConfigurableApplicationContext context) {
		return list(context, "events");
	}

	private static RList<String> list(ConfigurableApplicationContext context, String name) {
		return redisson(context).getList("test:" + name, StringCodec.INSTANCE);
	}

	private String kept(ConfigurableApplicationContext context) {
		String kept = redisson(context).<String, String>getMap("redelay:trouble:shop", StringCodec.INSTANCE)
			.get(this.queue);
		return (kept != null) ? kept : "";
	}

	private static String owner(ConfigurableApplicationContext context) {
		String turn = redisson(context).<String, String>getMap("redelay:trouble:shop", StringCodec.INSTANCE).get("");
		return (turn != null) ? turn.substring(0, turn.indexOf(' ')) : "";
	}

	private static String[] properties(String name, String... more) {
		List<String> own = List.of("test.instance=" + name, "spring.application.name=shop",
				"redelay.trouble.interval=1s", "redelay.trouble.hold=0s");
		return Stream.concat(own.stream(), List.of(more).stream()).toArray(String[]::new);
	}

	static class Sender {

	}

	@Import(FreshLooks.class)
	static class Recorder implements TroubleListener {

		private final RedissonClient redisson;

		private final String instance;

		private final boolean blocks;

		Recorder(RedissonClient redisson, @Value("${test.instance}") String instance,
				@Value("${test.blocks:false}") boolean blocks) {
			this.redisson = redisson;
			this.instance = instance;
			this.blocks = blocks;
		}

		@Override
		public void onTrouble(TroubleEvent event) throws InterruptedException {
			this.redisson.getList("test:times", StringCodec.INSTANCE)
				.add(event.type() + " " + event.since() + " " + event.time());
			this.redisson.getList("test:events", StringCodec.INSTANCE).add(this.instance + " " + event.type());
			if (this.blocks) {
				Thread.currentThread().join();
			}
		}

	}

}
