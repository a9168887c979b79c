package io.redelay.queue.wire;

import java.nio.charset.StandardCharsets;

import io.netty.buffer.Unpooled;
import org.redisson.client.codec.BaseCodec;
import org.redisson.client.protocol.Decoder;
import org.redisson.client.protocol.Encoder;

/**
 * Bytes in, bytes out, so that nothing depends on the client's default codec.
 */
public final class BytesCodec extends BaseCodec {

	public static final BytesCodec INSTANCE = new BytesCodec();

	private final Encoder encoder = SharedBytes::of;

	private final Decoder<Object> decoder = (buffer, state) -> {
		byte[] bytes = new byte[buffer.readableBytes()];
		buffer.readBytes(bytes);
		return bytes;
	};

	@Override
	public Decoder<Object> getValueDecoder() {
		return this.decoder;
	}

	@Override
	public Encoder getValueEncoder() {
		return this.encoder;
	}

}
