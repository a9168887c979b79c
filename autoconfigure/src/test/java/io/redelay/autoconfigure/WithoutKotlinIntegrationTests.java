package io.redelay.autoconfigure;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.redelay.lock.MyLock;
import io.redelay.queue.QueueListener;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RedissonClient;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that has no Kotlin on its class path.
 */
class WithoutKotlinIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	@Test
	@SuppressWarnings("unchecked")
	void handlersAndLocksWork() throws Exception {
		URL[] libraries = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(File::new)
			.filter((file) -> !file.getName().startsWith("kotlin"))
			.map(WithoutKotlinIntegrationTests::url)
			.toArray(URL[]::new);
		ClassLoader before = Thread.currentThread().getContextClassLoader();
		try (URLClassLoader loader = new URLClassLoader(libraries, ClassLoader.getPlatformClassLoader())) {
			Thread.currentThread().setContextClassLoader(loader);
			assertThat(ClassUtils.isPresent("kotlin.Unit", loader)).isFalse();
			Function<String, String> application = (Function<String, String>) loader
				.loadClass(Application.class.getName())
				.getConstructor()
				.newInstance();
			assertThat(application.apply(redis.uri().toString())).isEqualTo("handled under a lock");
		}
		finally {
			Thread.currentThread().setContextClassLoader(before);
		}
	}

	private static URL url(File file) {
		try {
			return file.toURI().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

	public static final class Application implements Function<String, String> {

		@Override
		public String apply(String uri) {
			RedissonClient client = TestRedis.connect(URI.create(uri));
			try (ListenerApplication application = ListenerApplication.on(client)
				.with("queue", TestRedis.queue())
				.beans(LockAutoConfiguration.class, Handler.class)
				.start()) {
				Handler handler = application.bean(Handler.class);
				application.queues()
					.send(application.context().getEnvironment().getRequiredProperty("queue"), "handled under a lock");
				return String.valueOf(handler.received().poll(2, TimeUnit.MINUTES));
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			finally {
				client.shutdown();
			}
		}

	}

	static class Handler {

		private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

		BlockingQueue<String> received() {
			return this.received;
		}

		@QueueListener("${queue}")
		@MyLock("without-kotlin-${queue}")
		void handle(String text) {
			this.received.add(text);
		}

	}

}
