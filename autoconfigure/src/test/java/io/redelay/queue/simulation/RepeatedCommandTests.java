package io.redelay.queue.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import io.redelay.queue.admin.engine.QueueChecks;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ResumeScript;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.wire.SimulatedConnection;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * After Redis went back in time, commands are repeated whose messages lanes have taken
 * over meanwhile.
 */
class RepeatedCommandTests {

	private static final String FRESH = "fresh";

	@Test
	void aLaneDoesNotHoldWhatARepeatedCommandGives() {
		VirtualTime time = new VirtualTime();
		try (MemoryRedis redis = new MemoryRedis()) {
			SimulatedServer server = new SimulatedServer(redis, time, MemoryRedis.LISTPACK_ENTRIES);
			QueueScripts scripts = open(server, time);
			AdminScripts admin = SimulatedConnection.admin(scripts, time);
			TestQueue queue = new TestQueue("repeated", scripts);
			NewMessage message = queue.message("text");
			queue.sender().send(message);
			TestQueue.Consumer lane = queue.consumer();
			TestQueue.get(new ResumeScript(scripts.runner()).run(queue.name,
					new ResumeScript.Request(lane.lane, lane.last() + 1, TestQueue.LEASE, "former", true, true,
							List.of(new ResumeScript.Holding(FRESH, 3, false)))));
			String commands = TestQueue.get(admin.steer().openLane(queue.name));
			TestQueue.get(admin.steer()
				.run(queue.name, commands, 1, List.of(new MessageCommand(MessageCommand.Action.SCHEDULE, message.uid(),
						MessageCommand.after(Duration.ofSeconds(1)), FRESH))));
			assertThat(new QueueChecks(admin).check(queue.name).problems()).isEmpty();
			time.advance(Duration.ofSeconds(2));
			assertThat(queue.consumer().claim(1).messages()).extracting(ClaimReply.Message::uid).containsExactly(FRESH);
			assertThat(new QueueChecks(admin).check(queue.name).problems()).isEmpty();
		}
	}

	/**
	 * A sender whose first send got no reply does not know that Redis went back.
	 */
	@Test
	void aLaneDoesNotHoldWhatALateSendGives() {
		VirtualTime time = new VirtualTime();
		try (MemoryRedis redis = new MemoryRedis()) {
			SimulatedServer server = new SimulatedServer(redis, time, MemoryRedis.LISTPACK_ENTRIES);
			QueueScripts scripts = open(server, time);
			AdminScripts admin = SimulatedConnection.admin(scripts, time);
			TestQueue queue = new TestQueue("late", scripts);
			List<NewMessage> messages = List.of(queue.message("one"), queue.message("two"));
			TestQueue.Consumer lane = queue.consumer();
			TestQueue.get(new ResumeScript(scripts.runner()).run(queue.name, new ResumeScript.Request(lane.lane,
					lane.last() + 1, TestQueue.LEASE, "former", true, true,
					messages.stream().map((message) -> new ResumeScript.Holding(message.uid(), 3, false)).toList())));
			messages.forEach(queue.sender()::send);
			assertThat(queue.consumer().claim(1).messages()).extracting(ClaimReply.Message::uid)
				.containsExactly(messages.get(0).uid());
			claimAs(scripts, queue, lane.lane, lane.last() + 2, messages.get(1).uid());
			assertThat(new QueueChecks(admin).check(queue.name).problems()).isEmpty();
		}
	}

	private static void claimAs(QueueScripts scripts, TestQueue queue, String lane, long number, String uid) {
		assertThat(TestQueue
			.get(scripts.claim()
				.run(queue.name,
						TestQueue.request(lane, number, TestQueue.LEASE, 1, Integer.MAX_VALUE, true, Duration.ZERO,
								List.of())))
			.messages()).extracting(ClaimReply.Message::uid).containsExactly(uid);
	}

	private static QueueScripts open(SimulatedServer server, VirtualTime time) {
		SimulatedInstance instance = new SimulatedInstance("i", time);
		SimulatedNetwork network = new SimulatedNetwork(time, new Random(1), false, (what) -> {
		});
		return SimulatedConnection.open(
				(script, name, text, keys, args) -> CompletableFuture
					.completedFuture(server.run(script, name, text, keys, args)),
				"redelay", new SimulatedWakeUps(instance, server, network), instance, ReplayMemory.NONE,
				UnaryOperator.identity());
	}

}
