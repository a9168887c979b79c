package io.redelay.queue.script.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Lists the lanes that consume from a queue, at most 1,000.
 *
 * @since 0.1.0
 */
public final class LanesScript {

	private final ScriptRunner runner;

	LanesScript(ScriptRunner runner) {
		this.runner = runner;
	}

	public CompletableFuture<List<Lane>> run(String queue) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Listing the lanes of the queue '" + queue + "'", Script.LANES, keys.of(Script.LANES),
				new Object[0], (reply) -> {
					reply.text();
					Instant now = reply.time();
					List<Lane> lanes = new ArrayList<>();
					while (reply.hasNext()) {
						lanes.add(new Lane(reply.text(), Duration.between(now, reply.time()), reply.number()));
					}
					return lanes;
				});
	}

	/**
	 * A lane that consumes.
	 *
	 * @param name its name
	 * @param lease the rest of its lease; negative if it ran out
	 * @param held how many messages it holds
	 */
	public record Lane(String name, Duration lease, long held) {

		/**
		 * Returns the instance that has the lane.
		 * @return the instance's name in the store
		 */
		public String instance() {
			return instanceOf(this.name);
		}

		/**
		 * Returns the instance that has a lane.
		 * @param lane the name of the lane
		 * @return the instance's name in the store
		 */
		public static String instanceOf(String lane) {
			int dot = lane.indexOf('.');
			return (dot >= 0) ? lane.substring(0, dot) : lane;
		}

	}

}
