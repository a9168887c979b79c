package io.redelay.kotlin.docs

// tag::imports[]
import io.redelay.lock.MyLock
import io.redelay.queue.batch.BatchFailedException
import io.redelay.queue.work.CancellationReason
import io.redelay.queue.work.HandlingCancelledException
import io.redelay.queue.QueueListener
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.collectIndexed
import kotlinx.coroutines.withContext
import org.springframework.messaging.handler.annotation.Header
import org.springframework.stereotype.Component
// end::imports[]

@Component
open class Payments(private val bank: Bank, private val ledger: Ledger) {

    // tag::suspend[]
    @QueueListener("payments")
    open suspend fun pay(payment: Payment, @Header("tenant") tenant: String = "default") {
        val receipt = bank.transfer(payment) // <1>
        ledger.record(tenant, receipt) // <2>
    }
    // end::suspend[]

    // tag::cancelled[]
    @QueueListener("transfers")
    open suspend fun transfer(payment: Payment) {
        try {
            bank.transfer(payment)
        } catch (ex: HandlingCancelledException) {
            withContext(NonCancellable) { // <1>
                bank.release(payment, overdue = ex.reason == CancellationReason.TIMED_OUT)
            }
            throw ex // <2>
        }
    }
    // end::cancelled[]

    // tag::flow[]
    @QueueListener("receipts", batchSize = "100")
    open suspend fun file(receipts: Flow<Receipt>) = receipts.collectIndexed { position, receipt ->
        try {
            ledger.file(receipt)
        } catch (ex: IllegalArgumentException) {
            throw BatchFailedException(position, ex)
        }
    }
    // end::flow[]

    // tag::locked[]
    @MyLock("account:#{payment.account}", waitTime = 5)
    open suspend fun settle(payment: Payment): Receipt = bank.transfer(payment)
    // end::locked[]
}

data class Payment(val account: String, val amount: Long)

data class Receipt(val account: String)

interface Bank {

    suspend fun transfer(payment: Payment): Receipt

    suspend fun release(payment: Payment, overdue: Boolean)
}

interface Ledger {

    fun record(tenant: String, receipt: Receipt)

    suspend fun file(receipt: Receipt)
}
