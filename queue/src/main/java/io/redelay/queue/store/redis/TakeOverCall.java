package io.redelay.queue.store.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import io.redelay.queue.store.InletEntry;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.ScriptTime;
import io.redelay.queue.store.SenderMemory;
import io.redelay.queue.store.TakeOverRequest;
import io.redelay.queue.store.TakenEntry;

/**
 * The keys and the arguments of the script that takes entries out of an inlet.
 */
final class TakeOverCall {

	private static final String NONE = "0";

	private final QueueKeys keys;

	private final TakeOverRequest request;

	private final List<NewMessage> messages;

	private final long longest;

	private final String wakePrefix;

	TakeOverCall(QueueKeys keys, TakeOverRequest request, long longest, String wakePrefix) {
		this.keys = keys;
		this.request = request;
		this.messages = request.messages();
		this.longest = longest;
		this.wakePrefix = wakePrefix;
	}

	List<Object> keys() {
		List<Object> used = SendCall.allKeys(this.keys, this.request.lane());
		used.add(this.keys.inlet());
		used.add(this.keys.deadMessages());
		return used;
	}

	Object[] args() {
		boolean again = this.request.again();
		Duration holdBack = this.request.holdBack();
		List<Object> args = new ArrayList<>(
				List.of(Long.toString(this.request.seq()), this.request.renews() ? SenderMemory.MILLIS : "",
						this.wakePrefix, SendCall.packed(this.messages), SendCall.limit(this.request.limit()),
						(holdBack != null) ? ScriptTime.millis(holdBack) + ScriptWords.RETURNED : "",
						SendCall.rules(this.messages), again ? NONE : entries(), Long.toString(this.longest), dead()));
		if (again) {
			args.add(texts());
		}
		return args.toArray();
	}

	/**
	 * Returns what identifies the entries to the script: their number, their size and
	 * their digest.
	 */
	private String entries() {
		List<TakenEntry> entries = this.request.entries();
		if (entries.isEmpty()) {
			return NONE;
		}
		MessageDigest digest = sha1();
		long bytes = 0;
		for (TakenEntry taken : entries) {
			InletEntry entry = taken.entry();
			bytes += entry.length();
			digest.update((entry.length() + ":").getBytes(StandardCharsets.US_ASCII));
			digest.update(entry.text());
		}
		return entries.size() + " " + bytes + " " + HexFormat.of().formatHex(digest.digest());
	}

	private static MessageDigest sha1() {
		try {
			return MessageDigest.getInstance("SHA-1");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Each Java has SHA-1", ex);
		}
	}

	private byte[] dead() {
		List<TakenEntry.Dead> all = this.request.dead();
		List<byte[]> parts = new ArrayList<>();
		for (TakenEntry.Dead dead : all) {
			byte[] uid = dead.uid().getBytes(StandardCharsets.UTF_8);
			byte[] cause = dead.cause().getBytes(StandardCharsets.UTF_8);
			byte[] envelope = dead.envelope();
			parts.add(ByteBuffer
				.allocate(Short.BYTES + uid.length + 2 * Integer.BYTES + envelope.length - 1 + cause.length)
				.putShort((short) uid.length)
				.put(uid)
				.putInt(envelope.length - 1)
				.put(envelope, 1, envelope.length - 1)
				.putInt(cause.length)
				.put(cause)
				.array());
		}
		return joined(parts);
	}

	private byte[] texts() {
		List<byte[]> parts = new ArrayList<>();
		for (TakenEntry taken : this.request.entries()) {
			byte[] text = taken.entry().text();
			parts.add(ByteBuffer.allocate(Integer.BYTES + text.length).putInt(text.length).put(text).array());
		}
		return joined(parts);
	}

	private static byte[] joined(List<byte[]> parts) {
		ByteBuffer joined = ByteBuffer.allocate(parts.stream().mapToInt((part) -> part.length).sum());
		parts.forEach(joined::put);
		return joined.array();
	}

}
