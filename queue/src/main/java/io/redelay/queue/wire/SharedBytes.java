package io.redelay.queue.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;

/**
 * An argument of a command. Its bytes are never changed, so a copy of it shares them:
 * Redisson copies each argument of a script, in case that Redis does not know the script.
 */
final class SharedBytes extends UnpooledHeapByteBuf {

	private SharedBytes(byte[] bytes) {
		super(UnpooledByteBufAllocator.DEFAULT, bytes, bytes.length);
	}

	/**
	 * Returns the bytes of an argument: an array, a part of an array, or else what
	 * {@code toString} gives.
	 */
	static ByteBuf of(Object value) {
		if (value instanceof ByteBuffer part) {
			return new SharedBytes(part.array()).slice(part.arrayOffset() + part.position(), part.remaining());
		}
		return new SharedBytes(
				(value instanceof byte[] bytes) ? bytes : value.toString().getBytes(StandardCharsets.UTF_8));
	}

	@Override
	public ByteBuf copy(int index, int length) {
		return new SharedBytes(array()).slice(index, length);
	}

}
