#include "records/BookingListener.h"

namespace portico::calendar
{

std::string questionLabel(const BookingContext& subject, std::string_view questionId)
{
    if (subject.type)
        for (const auto& question : subject.type->questions)
            if (question.questionId == questionId) return question.label;
    return std::string(questionId);
}

} // namespace portico::calendar
