package io.redelay.outbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * An application in a JVM of its own, which dies on demand. It writes orders, each with a
 * message, until then.
 */
final class OutboxInstance implements AutoCloseable {

	private static final Path LOG = Path.of("target", "outbox-instances.log");

	private final Process process;

	private OutboxInstance(Process process) {
		this.process = process;
	}

	static OutboxInstance start(List<String> properties) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-Xmx256m", "-cp", System.getProperty("java.class.path"),
						OutboxInstance.class.getName()));
		command.addAll(properties);
		try {
			return new OutboxInstance(new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(LOG.toFile()))
				.start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Ends it at once, as kill -9 does.
	 */
	@Override
	public void close() {
		try {
			if (!this.process.destroyForcibly().waitFor(2, TimeUnit.MINUTES)) {
				throw new IllegalStateException("The process " + this.process.pid() + " does not end");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@SuppressWarnings("InfiniteLoopStatement")
	public static void main(String[] args) {
		OutboxApplication.Builder builder = OutboxApplication.builder();
		for (String property : args) {
			builder.with(property.substring(0, property.indexOf('=')), property.substring(property.indexOf('=') + 1));
		}
		OutboxApplication application = builder.start(DyingDataSource.class);
		String name = application.property("test.name");
		String queue = application.property("test.target");
		for (int i = 0;; i++) {
			String order = name + "-" + i;
			application.inTransaction(() -> {
				application.jdbc().sql("INSERT INTO orders VALUES (?)").param(order).update();
				application.outbox().send(queue, order);
			});
		}
	}

	/**
	 * Ends the JVM, as a crash does, in place of a statement that deletes from the
	 * outbox: what was sent has been sent, and that is not recorded yet.
	 */
	static class DyingDataSource implements BeanPostProcessor {

		private final AtomicInteger left;

		DyingDataSource(@Value("${test.dies-at-deletion}") int deletion) {
			this.left = new AtomicInteger(deletion);
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			return (bean instanceof DataSource dataSource) ? new DelegatingDataSource(dataSource) {

				@Override
				public Connection getConnection() throws java.sql.SQLException {
					return watched(super.getConnection());
				}

			} : bean;
		}

		private Connection watched(Connection connection) {
			return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
					(proxy, method, args) -> {
						if (method.getName().equals("prepareStatement")
								&& ((String) args[0]).startsWith("DELETE FROM redelay_outbox")
								&& this.left.decrementAndGet() == 0) {
							Runtime.getRuntime().halt(137);
						}
						try {
							return method.invoke(connection, args);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

	}

}
