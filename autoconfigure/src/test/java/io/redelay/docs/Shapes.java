package io.redelay.docs;

// tag::imports[]
import io.redelay.autoconfigure.QueueServer;
import io.redelay.autoconfigure.QueueServerFactory;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.config.QueueListenerContainerFactory;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
// end::imports[]

/**
 * The code of the chapter "Producers, consumers, several servers".
 */
class Shapes {

	// tag::producer[]
	static class Checkout {

		private final QueueOperations queues;

		Checkout(QueueOperations queues) {
			this.queues = queues;
		}

		void order(String order) {
			this.queues.send("orders", order);
		}

	}
	// end::producer[]

	/**
	 * Handles what is sent to the application's own server.
	 */
	static class Warehouse {

		private final Orders orders;

		Warehouse(Orders orders) {
			this.orders = orders;
		}

		// tag::consumer[]
		@QueueListener("orders")
		void pack(String order) {
			this.orders.report("pack " + order);
		}
		// end::consumer[]

	}

	/**
	 * A second server.
	 */
	@Configuration(proxyBeanMethods = false)
	static class ArchiveConfiguration {

		// tag::server[]
		@Bean(defaultCandidate = false, destroyMethod = "shutdown") // <1>
		RedissonClient archiveClient(@Value("${archive.url}") String url) {
			Config config = new Config().setThreads(4).setNettyThreads(4);
			config.useSingleServer().setAddress(url);
			return Redisson.create(config);
		}

		@Bean
		QueueServer archiveServer(QueueServerFactory servers, @Qualifier("archiveClient") RedissonClient client) {
			return servers.create(client); // <2>
		}

		@Bean(defaultCandidate = false)
		QueueOperations archive(QueueServer archiveServer) {
			return archiveServer.template();
		}

		@Bean
		QueueListenerContainerFactory archiveFactory(QueueServer archiveServer) {
			return archiveServer.containerFactory();
		}
		// end::server[]

		// tag::admin[]
		@Bean(defaultCandidate = false)
		QueueAdmin archiveAdmin(QueueServer archiveServer) {
			return archiveServer.admin();
		}
		// end::admin[]

	}

	// tag::use[]
	static class Archivist {

		private final QueueOperations archive;

		private final Orders orders;

		Archivist(@Qualifier("archive") QueueOperations archive, Orders orders) {
			this.archive = archive;
			this.orders = orders;
		}

		void keep(String order) {
			this.archive.send("orders", order);
		}

		@QueueListener(queues = "orders", containerFactory = "archiveFactory")
		void file(String order) {
			this.orders.report("file " + order);
		}

	}
	// end::use[]

}
