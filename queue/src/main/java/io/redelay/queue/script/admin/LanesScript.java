package io.redelay.queue.script.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Lists the lanes that consume from a queue, at most 1,000.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record LanesScript(ScriptRunner runner) {

	public CompletableFuture<List<Lane>> run(String queue) {
		return this.runner.run(Script.LANES, queue, "Listing the lanes of", (reply) -> {
			Instant now = reply.timeAfterStatus();
			return reply.list((each) -> lane(each, now));
		});
	}

	static Lane lane(ReplyReader reply, Instant now) {
		return new Lane(reply.text(), Duration.between(now, reply.time()), reply.number());
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
