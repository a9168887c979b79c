package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.message.StoredWork;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Reply;
import io.redelay.queue.wire.ScriptWords;
import org.jspecify.annotations.Nullable;

/**
 * The keys, and the readers of replies, of the scripts that show messages.
 */
final class StoredMessages {

	/**
	 * Failures and crashes. Text behind them, or of another version, is ignored, so that
	 * no message makes a page unreadable.
	 */
	private static final Pattern TRIES = Pattern.compile("(\\d{1,9})(?:" + ScriptWords.CRASHES + "(\\d{1,9}))?");

	private StoredMessages() {
	}

	static List<Object> keys(QueueKeys keys) {
		return List.of(keys.messages(), keys.ready(), keys.suspects(), keys.scheduled(), keys.held(), keys.tries(),
				keys.dead(), keys.deadMessages(), keys.ids(), keys.cancelled(), keys.history(), keys.deadIds(),
				keys.waiting(), keys.completed(), keys.completedMessages(), keys.work());
	}

	static MessagePage page(Reply reply) {
		reply.text();
		Instant time = reply.time();
		boolean hasNext = reply.flag();
		int passed = (int) reply.number();
		return new MessagePage(time, read(reply), passed, hasNext);
	}

	static List<StoredMessage> read(Reply reply) {
		List<StoredMessage> messages = new ArrayList<>();
		while (reply.hasNext()) {
			String uid = reply.text();
			String id = reply.text();
			MessageState state = MessageState.valueOf(reply.text());
			Instant since = reply.timeOrNull();
			Matcher tries = TRIES.matcher(reply.text());
			boolean counted = tries.lookingAt();
			int failures = counted ? Integer.parseInt(tries.group(1)) : 0;
			int crashes = (counted && tries.group(2) != null) ? Integer.parseInt(tries.group(2)) : 0;
			String lane = lane(reply.textOrNull());
			boolean cancelled = reply.flag();
			byte[] envelope = reply.bytes();
			String cause = reply.textOrNull();
			String lines = reply.text();
			String target = reply.textOrNull();
			byte[] result = reply.bytesOrNull();
			messages.add(new StoredMessage(uid, id, state, since, failures, crashes, lane, cancelled, envelope, cause,
					lines.isEmpty() ? List.of() : List.of(lines.split("\n")), target, result, work(reply)));
		}
		return messages;
	}

	private static @Nullable StoredWork work(Reply reply) {
		byte[] progress = reply.bytesOrNull();
		byte[] log = reply.bytesOrNull();
		byte[] checkpoint = reply.bytesOrNull();
		boolean isNothing = progress == null && log == null && checkpoint == null;
		return isNothing ? null : new StoredWork(progress, log, checkpoint);
	}

	/**
	 * Returns the lane in the holder of a message.
	 */
	static @Nullable String lane(@Nullable String holder) {
		int end = (holder != null) ? holder.lastIndexOf(ScriptWords.CLAIM) : -1;
		return (holder != null && end >= 0) ? holder.substring(0, end) : null;
	}

}
