package io.redelay.kotlin.docs

import io.redelay.kotlin.KotlinApplication
import io.redelay.queue.OutboundMessage
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import java.util.concurrent.ConcurrentLinkedQueue

/**
 * The code of the guide's chapter on Kotlin.
 */
class KotlinGuideIntegrationTests {

    @Test
    fun `the handlers and the locked function work`() {
        KotlinApplication(Payments::class, PaymentListener::class, Books::class).use { application ->
            application.queues.send("payments", Payment("a", 1))
            application.queues.send(OutboundMessage.to("payments", Payment("b", 1)).header("tenant", "t"))
            application.queues.send("transfers", Payment("c", 1))
            application.queues.send("card-payments", Payment("f", 1))
            application.queues.send("receipts", Receipt("d"))
            application.queues.send("receipts", Receipt("refused"))
            listOf("payments", "transfers", "card-payments", "receipts").forEach(application::awaitHandled)
            runBlocking { application.bean<Payments>().settle(Payment("e", 1)) }
            assertThat(application.bean<Books>().entries)
                .contains("default a", "t b", "filed d", "paid a", "paid b", "paid c", "paid e", "default f")
            assertThat(application.admin.queues().info("receipts").dead()).isOne()
        }
    }

    class Books : Bank, Ledger {

        val entries = ConcurrentLinkedQueue<String>()

        override suspend fun transfer(payment: Payment): Receipt {
            delay(1)
            entries.add("paid ${payment.account}")
            return Receipt(payment.account)
        }

        override suspend fun release(payment: Payment, overdue: Boolean) = Unit

        override fun record(tenant: String, receipt: Receipt) {
            entries.add("$tenant ${receipt.account}")
        }

        override suspend fun file(receipt: Receipt) {
            require(receipt.account != "refused")
            entries.add("filed ${receipt.account}")
        }
    }
}
