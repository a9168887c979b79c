package io.redelay.lock.redisson;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.lock.LockProvider;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.core.io.ClassPathResource;

/**
 * A script that works on locks and replies with a number.
 *
 * @param text the text of the script
 * @since 0.1.0
 */
public record LockScript(String text) {

	public static LockScript read(String name) {
		try {
			return new LockScript(new ClassPathResource(name + ".lua", LockProvider.class)
				.getContentAsString(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The script " + name + ".lua is not in the jar", ex);
		}
	}

	public CompletableFuture<Long> run(RedissonClient client, List<Object> keys, Object... arguments) {
		return client.getScript(StringCodec.INSTANCE)
			.<Long>evalAsync(RScript.Mode.READ_WRITE, this.text, RScript.ReturnType.LONG, keys, arguments)
			.toCompletableFuture();
	}

}
