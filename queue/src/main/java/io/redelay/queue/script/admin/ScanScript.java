package io.redelay.queue.script.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.wire.Script;

/**
 * Goes through the messages of a queue.
 *
 * @param admin the scripts of the server
 * @since 0.1.0
 */
public record ScanScript(AdminScripts admin) {

	/**
	 * Goes through messages, one step: it ends after a number of messages, or before that
	 * where they are large.
	 * @param request which ones, and where to go on
	 */
	public CompletableFuture<Result> run(String queue, Request request) {
		if (request.what().isPacked()) {
			return runFar(queue, request);
		}
		List<Object> args = new ArrayList<>(
				List.of(request.what().name(), request.count(), this.admin.maxBytes(), request.place(), request.uid()));
		request.states().forEach((state) -> args.add(state.name()));
		return this.admin.runner().run(Script.SCAN, queue, "Going through the messages of", (reply) -> {
			reply.timeAfterStatus();
			boolean hasNext = reply.flag();
			String place = reply.text();
			String uid = reply.text();
			int examined = (int) reply.number();
			String next = reply.text();
			return new Result(reply.list(StoredMessages::message), hasNext, place, uid, examined, next);
		}, args.toArray());
	}

	/**
	 * The place is the earliest due time of a chunk, and the uid its number; behind a
	 * point how many of its messages were looked at, unless all were.
	 */
	private CompletableFuture<Result> runFar(String queue, Request request) {
		String[] uid = request.uid().split("\\.", 2);
		PackedReader.At at = request.uid().isEmpty() ? PackedReader.At.BEGINNING : new PackedReader.At(
				Long.parseLong(request.place()), uid[0], (uid.length > 1) ? Integer.parseInt(uid[1]) : 0);
		long since = (request.what() != Request.What.FAR_SINCE) ? 0
				: request.since().isEmpty() ? 1 : Long.parseLong(request.since());
		return this.admin.packed().scan(queue, at, since, request.count()).thenApply((found) -> {
			PackedReader.At last = found.last();
			return new Result(found.messages(), found.hasNext(), Long.toString(last.dueMillis()),
					(last.passed() > 0) ? last.number() + "." + last.passed() : last.number(), found.examined(),
					found.next());
		});
	}

	/**
	 * A step through the messages of a queue.
	 *
	 * @param what the part of the messages that is gone through
	 * @param states the states of the messages to show
	 * @param place where to go on: {@code ""} at first, else the place in the previous
	 * reply
	 * @param uid the uid there, likewise
	 * @param count how many to look at, at most {@link AdminScripts#MAX_PAGE}
	 * @param since from which number on chunks are shown, {@code ""} for all
	 */
	public record Request(What what, Set<MessageState> states, String place, String uid, int count, String since) {

		/**
		 * The parts that can be gone through.
		 */
		public enum What {

			/**
			 * All living messages, in no order.
			 */
			LIVING,

			/**
			 * The messages in flight, in no order.
			 */
			IN_FLIGHT,

			/**
			 * The messages that are not due yet, the first due first.
			 */
			SCHEDULED,

			/**
			 * The scheduled messages that are packed, chunk by chunk, the first due
			 * first. They are none of the living or scheduled ones above.
			 */
			FAR,

			/**
			 * Those of the chunks that were packed since a number was the next one.
			 */
			FAR_SINCE,

			/**
			 * The dead, the last one first.
			 */
			DEAD,

			/**
			 * The completed, the last one first.
			 */
			COMPLETED;

			/**
			 * Whether these are packed.
			 */
			public boolean isPacked() {
				return this == FAR || this == FAR_SINCE;
			}

		}

	}

	/**
	 * The reply to a step through the messages of a queue.
	 *
	 * @param messages the messages in the requested states
	 * @param hasNext whether there are more
	 * @param place where to go on
	 * @param uid the uid there, or {@code ""}
	 * @param examined how many were looked at
	 * @param nextChunk the number of the next chunk that will be packed, {@code ""} if
	 * nothing is packed
	 */
	public record Result(List<StoredMessage> messages, boolean hasNext, String place, String uid, int examined,
			String nextChunk) {

	}

}
